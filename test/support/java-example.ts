import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CACHE } from "./debian-packages.ts";

const EXAMPLES = fileURLToPath(new URL("../../examples", import.meta.url));

/** Programs that start quickly. */
const JAVA = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx128m"];

/**
 * Arguments of `java` for the classes of an example. Its own Maven project makes them, in a copy under `node_modules/.cache`,
 * anew when a file of it has changed. Rejects with what to install when there is no JDK or no Maven.
 *
 * @param others further folders of `examples` whose sources it uses
 */
export async function javaExample(name: string, ...others: readonly string[]): Promise<readonly string[]> {
  const folders = [name, ...others];
  const built = join(CACHE, `${name}-${hashOfSources(folders)}`);
  if (!existsSync(built)) await build(built, folders);
  const target = join(built, name, "target");
  return [...JAVA, "-cp", [join(target, "classes"), join(target, "lib/*")].join(":")];
}

function hashOfSources(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    hash.update(readFileSync(join(EXAMPLES, folder, "pom.xml")));
    const sources = join(EXAMPLES, folder, "src");
    for (const name of readdirSync(sources, { recursive: true, encoding: "utf8" }).sort()) {
      if (name.endsWith(".java")) hash.update(name).update(readFileSync(join(sources, name)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

/** Other runs may do the same at this moment: the first to be ready is kept. */
async function build(built: string, folders: readonly string[]): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const copy = mkdtempSync(`${built}-`);
  const [name = ""] = folders;
  try {
    for (const folder of folders) {
      for (const part of ["pom.xml", "src"]) {
        cpSync(join(EXAMPLES, folder, part), join(copy, folder, part), { recursive: true });
      }
    }
    await promisify(execFile)("mvn", ["-q", "-B", "package"], { cwd: join(copy, name) });
    renameSync(copy, built);
  } catch (cause) {
    if (existsSync(built)) return;
    const remedy = "install a JDK 17 and Maven (Debian: openjdk-17-jdk-headless and maven)";
    throw new Error(`examples/${name} was not built: ${remedy}. ${(cause as Error).message}`, { cause });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
