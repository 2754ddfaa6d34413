import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { outputOf } from "../support/output-of.ts";
import { ENTRIES, MANIFEST, ROOT, requireDeclarations, TOOLS } from "./build.ts";

/** npm's own scripts would build once more; the build that all tests of this run use was made by `prepack`. */
const AS_BUILT = { ...process.env, npm_config_ignore_scripts: "true" };

beforeAll(() => requireDeclarations());

it("D-PKG 14: the package holds every entry with its declarations, the command, the pages and the documents, without pictures and decisions", () => {
  const output = outputOf("npm", ["pack", "--dry-run", "--json"], { cwd: ROOT, env: AS_BUILT });
  const [packed] = JSON.parse(output) as [{ files: { path: string }[] }];
  const held = new Set(packed.files.map(({ path }) => path));
  const needed = [
    ...ENTRIES.flatMap(({ code, types }) => [code, types]),
    ...Object.values(MANIFEST.bin),
    "dist/docs-page/page.js",
    "docs/openapi.json",
    "docs/bus/openrpc.json",
    "examples/demo/installation.yaml",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
  ].map((path) => path.replace(/^\.\//, ""));
  expect(needed.filter((path) => !held.has(path))).toEqual([]);
  expect([...held].filter((path) => /\.(?:png|jpg|svg|webp)$|decisions\.md$/.test(path))).toEqual([]);
});

it("D-PKG 1: publint and attw find nothing in the package", () => {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-pack-"));
  try {
    outputOf("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: ROOT, env: AS_BUILT });
    const [tarball = ""] = readdirSync(folder);
    for (const [program, ...options] of [
      ["publint", "--strict"],
      ["attw", "--profile", "esm-only"],
    ] as const)
      outputOf(join(TOOLS, "node_modules/.bin", program), [join(folder, tarball), ...options], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("D-PKG 13: npm publish --dry-run takes the package as it is, and finds nothing to correct", () => {
  const args = ["publish", "--dry-run", "--access", "public", "--ignore-scripts", "--json"];
  const registry = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
  const line = 'exec npm "$@" 2>&1';
  const said = outputOf("sh", ["-c", line, "sh", ...args], { cwd: ROOT, env: { ...process.env, ...registry } });
  expect(said).not.toContain("auto-corrected");
  expect(said).toContain(`"${MANIFEST.name}@${MANIFEST.version}"`);
});
