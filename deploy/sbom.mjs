// The software bill of materials of what is delivered, as CycloneDX: node deploy/sbom.mjs > sbom.cdx.json (the package, with its
// dependencies). Needs `npm ci`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The runtime dependencies of the package, with theirs. */
export const DEPENDENCIES = ".prod";

function npm(...args) {
  return JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }));
}

/** Installed packages that a selector of `npm query` chooses, without this one. */
export function installedPackages(selector) {
  return npm("query", selector).filter(({ location }) => location.startsWith("node_modules/"));
}

/** What npm says of everything that is installed, limited to these packages. */
export function sbomOf(packages) {
  const { metadata, components, dependencies, ...rest } = npm(
    "sbom",
    "--sbom-format=cyclonedx",
    "--sbom-type=application",
  );
  const { name } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const chosen = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const own = metadata.component["bom-ref"];
  return {
    ...rest,
    // npm takes the name of the folder.
    metadata: { ...metadata, component: { ...metadata.component, name } },
    components: components.filter((component) => chosen.has(component["bom-ref"])),
    dependencies: dependencies
      .filter(({ ref }) => ref === own || chosen.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => chosen.has(other)) })),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.stdout.write(`${JSON.stringify(sbomOf(installedPackages(DEPENDENCIES)), null, 2)}\n`);
}
