// Lays out what the image holds: node deploy/assemble.mjs FOLDER. Needs `npm ci` and the build (`dist`).
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEPENDENCIES, installedPackages, sbomOf } from "./sbom.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Optional packages of the library that the gateway never loads. */
const HOST_ONLY = ["express"];
const PARTS = ["package.json", "LICENSE", "dist", join("examples", "demo")];

/** Packages of a production install and the optional ones, as the lock file has them. */
function deliveredPackages() {
  const { peerDependenciesMeta = {} } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const optional = Object.keys(peerDependenciesMeta).filter((name) => !HOST_ONLY.includes(name));
  const chosen = optional.map((name) => `[name="${name}"]`);
  return installedPackages([DEPENDENCIES, ...chosen, ...chosen.map((name) => `${name} *`)].join(", "));
}

/** A gateway needs no declarations, maps or documents of packages. */
function isNeeded(path) {
  return !/\.(?:map|md|markdown|d\.[cm]?ts)$/.test(path);
}

function copy(part, to) {
  // What is nested in a package comes by itself, as it is a separate package.
  const nested = join(ROOT, part, "node_modules");
  const filter = (path) => path !== nested && isNeeded(path);
  cpSync(join(ROOT, part), join(to, "app", part), { recursive: true, filter });
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node deploy/assemble.mjs FOLDER");
const packages = deliveredPackages();
for (const part of [...PARTS, ...packages.map(({ location }) => location)]) copy(part, folder);
writeFileSync(join(folder, "app", "sbom.cdx.json"), JSON.stringify(sbomOf(packages)));
mkdirSync(join(folder, "etc", "access"), { recursive: true });
cpSync(join(ROOT, "deploy", "application.yaml"), join(folder, "etc", "application.yaml"));
mkdirSync(join(folder, "data"), { recursive: true });
