import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { outputOf } from "../support/output-of.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Whether this run rewrites what is generated (`npm run docs`). */
export const UPDATES = process.env.UPDATE_DOCS === "1";

/** Content of a JSON file of the project; layout does not count, the formatter has the say over it. */
export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

/** Text of a file of the project. */
export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Writes a file of the project, unless it says so already: a build is older than what was written after it. */
export function writeText(path: string, text: string): void {
  if (!existsSync(join(ROOT, path)) || readText(path) !== text) writeFileSync(join(ROOT, path), text);
}

/** Writes JSON files of the project, laid out as the formatter wants them. */
export function writeJson(files: ReadonlyMap<string, unknown>): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeText(path, `${JSON.stringify(content, null, 2)}\n`);
  }
  outputOf(join(ROOT, "node_modules/.bin/biome"), ["format", "--write", ...files.keys()], { cwd: ROOT });
}

/** Names of the files in a folder of the project. */
export function fileNames(folder: string): string[] {
  return readdirSync(join(ROOT, folder)).sort();
}

export function removeFile(path: string): void {
  rmSync(join(ROOT, path));
}
