import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CACHE } from "./debian-packages.ts";

const run = promisify(execFile);

const FOLDER = fileURLToPath(new URL("quickfixj/", import.meta.url));
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

/**
 * Arguments of `java` for the QuickFIX/J client of `quickfixj/FixClient.java`. Maven fetches its libraries once, into
 * `node_modules/.cache`. Rejects with what to install when there is no JDK or no Maven.
 */
export async function quickFixClient(): Promise<readonly string[]> {
  const libraries = join(CACHE, "quickfixj");
  if (!existsSync(libraries)) await provision(libraries);
  return ["-cp", join(libraries, "*"), join(FOLDER, "FixClient.java")];
}

/** Other runs may do the same at this moment: the first to be ready is kept. */
async function provision(libraries: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, "quickfixj-"));
  try {
    await run("mvn", ["-q", "-B", "-f", join(FOLDER, "pom.xml"), COPY, `-DoutputDirectory=${folder}`]);
    await rename(folder, libraries);
  } catch (cause) {
    if (existsSync(libraries)) return;
    const remedy = "install a JDK 17 and Maven (Debian: openjdk-17-jdk-headless and maven)";
    throw new Error(`These tests need QuickFIX/J, and Maven did not fetch it: ${remedy}. ${(cause as Error).message}`, {
      cause,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
