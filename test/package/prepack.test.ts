import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { proseOf } from "../docs/pages.ts";
import { outputOf } from "../support/output-of.ts";
import { ENTRIES, MANIFEST, ROOT, requireDeclarations, TOOLS } from "./build.ts";

/** npm's own scripts would build once more; the build that all tests of this run use was made by `prepack`. */
const AS_BUILT = { ...process.env, npm_config_ignore_scripts: "true" };

beforeAll(() => requireDeclarations());

function packedFiles(): ReadonlySet<string> {
  const output = outputOf("npm", ["pack", "--dry-run", "--json"], { cwd: ROOT, env: AS_BUILT });
  const [packed] = JSON.parse(output) as [{ files: { path: string }[] }];
  return new Set(packed.files.map(({ path }) => path));
}

it("D-PKG 14: the package holds every entry with its declarations, the command, the pages and the documents, without pictures and decisions", () => {
  const held = packedFiles();
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

/** Of the repository alone, for those who change it. */
const NOT_PACKED = ["CONTRIBUTING.md", "docs/decisions.md"];

it("D-PKG 14: what packed documents link to, and name below a folder of the package, is packed", () => {
  const held = packedFiles();
  const folders = new Set([...held].flatMap((path) => [path, ...foldersOf(path)]));
  const missing = [...held]
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) => namedFiles(page).map((path) => [page, path] as const))
    .filter(([, path]) => !folders.has(path) && !NOT_PACKED.includes(path));
  expect(missing).toEqual([]);
});

function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
}

/** What a page links to, but for pictures, and what of the package it names as code: paths from the root. */
function namedFiles(page: string): string[] {
  const text = proseOf(readFileSync(join(ROOT, page), "utf8")).join("\n");
  const links = [...text.matchAll(/(!\[[^\]]*)?\]\((?!https?:|#)([^)#\s]+)/g)].flatMap(([, picture, target = ""]) =>
    picture === undefined ? [target] : [],
  );
  const names = [...text.matchAll(/`((?:docs|examples)\/[\w./-]*\w)\/?`/g)].map(([, path = ""]) => path);
  return [...links.map((target) => normalize(join(dirname(page), target)).replace(/\/$/, "")), ...names];
}

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
