import { execFileSync } from "node:child_process";
import { afterAll, expect, it } from "vitest";
import { RepositoryCopy } from "../support/repository-copy.ts";
import { ENTRIES, MANIFEST } from "./build.ts";

const copy = new RepositoryCopy();

afterAll(() => copy.close());

it("npm pack of a fresh clone holds every entry with its declarations, the command, the pages and the documents", {
  timeout: 300_000,
}, () => {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json"], {
    cwd: copy.folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
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
});
