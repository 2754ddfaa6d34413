import { afterAll, expect, it } from "vitest";
import { outputOf } from "../support/output-of.ts";
import { RepositoryCopy } from "../support/repository-copy.ts";
import { ENTRIES, MANIFEST, ROOT } from "./build.ts";

/** To build with declarations takes a minute on a quiet machine. */
const LIMIT_MS = 900_000;

const copy = new RepositoryCopy();

afterAll(() => copy.close());

it("D-PKG 14: npm pack of a fresh clone holds every entry with its declarations, the command, the pages and the documents, without pictures and decisions", {
  timeout: LIMIT_MS,
}, () => {
  const output = outputOf("npm", ["pack", "--dry-run", "--json"], {
    cwd: copy.folder,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LIMIT_MS,
  });
  // The build writes to the same stream, before the response of npm.
  const [packed] = JSON.parse(output.slice(output.lastIndexOf("\n[\n") + 1)) as [{ files: { path: string }[] }];
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

it("D-PKG 13: npm publish --dry-run takes the package as it is, and finds nothing to correct", () => {
  const args = ["publish", "--dry-run", "--access", "public", "--ignore-scripts", "--json"];
  const registry = { npm_config_registry: "http://127.0.0.1:9/", npm_config_fetch_retries: "0" };
  const line = 'exec npm "$@" 2>&1';
  const said = outputOf("sh", ["-c", line, "sh", ...args], { cwd: ROOT, env: { ...process.env, ...registry } });
  expect(said).not.toContain("auto-corrected");
  expect(said).toContain(`"${MANIFEST.name}@${MANIFEST.version}"`);
});
