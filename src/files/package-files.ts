import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of this package, whether it runs from its sources or from its build. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** The sample installation that the package ships. */
export function sampleInstallation(): string {
  return join(packageRoot(), "examples", "demo", "installation.yaml");
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")) as { version: string };
  return version;
}

/** A file of the build that is read and not run here. Throws when there is no build. */
export function builtFile(path: string): string {
  const file = join(packageRoot(), "dist", path);
  if (!existsSync(file)) throw new Error(`${file} is missing; build the package with \`npm run build\``);
  return file;
}

/** Address below which a build's documents are published, ending in a slash; empty or undefined where they are not. The build sets it. */
const SITE = process.env.SITE_URL;

/** Where people find a page of the documents, such as `operate/start`: on the site of the build, else in this package. */
export function documentAt(page: string, site = SITE): string {
  return site ? `${site}${page}.html` : `docs/${page}.md`;
}
