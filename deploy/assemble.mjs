// Lays out what the image holds: node deploy/assemble.mjs FOLDER. Needs `npm ci` and the build (`dist`).
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Optional packages of the library that the gateway never loads. */
const HOST_ONLY = ["express"];
const PARTS = ["package.json", "LICENSE", "dist", join("examples", "demo")];

/** Packages of a production install and the optional ones, as the lock file has them. */
function packageFolders() {
  const { peerDependenciesMeta = {} } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const optional = Object.keys(peerDependenciesMeta).filter((name) => !HOST_ONLY.includes(name));
  const chosen = optional.map((name) => `[name="${name}"]`);
  const selector = [".prod", ...chosen, ...chosen.map((name) => `${name} *`)].join(", ");
  const found = JSON.parse(execFileSync("npm", ["query", selector], { cwd: ROOT, encoding: "utf8" }));
  return found.map(({ location }) => location).filter((location) => location.startsWith("node_modules/"));
}

/** A gateway needs no declarations, maps or documents of packages. */
function isNeeded(path) {
  return !/\.(?:map|md|markdown|d\.[cm]?ts)$/.test(path);
}

function copy(part, to) {
  // What is nested in a package comes by itself, as it is a package of its own.
  const nested = join(ROOT, part, "node_modules");
  const filter = (path) => path !== nested && isNeeded(path);
  cpSync(join(ROOT, part), join(to, "app", part), { recursive: true, filter });
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node deploy/assemble.mjs FOLDER");
for (const part of [...PARTS, ...packageFolders()]) copy(part, folder);
mkdirSync(join(folder, "etc", "access"), { recursive: true });
cpSync(join(ROOT, "deploy", "application.yaml"), join(folder, "etc", "application.yaml"));
mkdirSync(join(folder, "data"), { recursive: true });
