import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { outputOf } from "../support/output-of.ts";
import { ROOT } from "./build.ts";

/** What a test may need that those of `unit` do without: what the helpers that bring it are called. */
const NEEDS: Readonly<Record<string, RegExp>> = {
  "a build": /^test\/package\/build\.ts$/,
  "a program of the operating system": /^test\/support\/(?:find-program|debian-packages|docker-engine|helm)\.ts$/,
};

/** Those projects that may need it. */
const MAY_NEED: Readonly<Record<string, readonly string[]>> = {
  "a build": ["process", "browser", "system", "storm"],
  "a program of the operating system": ["browser", "system", "storm"],
};

/** Projects of each test file of a run. */
function filesOf(...more: string[]): Map<string, string[]> {
  const vitest = [join(ROOT, "node_modules/vitest/vitest.mjs"), "list", "--filesOnly", "--json", ...more];
  const listed = outputOf(process.execPath, vitest, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const files = new Map<string, string[]>();
  for (const { file, projectName } of JSON.parse(listed) as { file: string; projectName: string }[]) {
    const path = relative(ROOT, file);
    files.set(path, [...(files.get(path) ?? []), projectName]);
  }
  return files;
}

const TEST_FILES = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
  .map((name) => join("test", name));

/** The files of `test` that a file imports, and those that they import. */
function reachedFrom(path: string, reached = new Set<string>()): Set<string> {
  if (reached.has(path)) return reached;
  reached.add(path);
  for (const [, specifier = ""] of readFileSync(join(ROOT, path), "utf8").matchAll(/ from "(\.[^"]+\.ts)"/g)) {
    const next = join(dirname(path), specifier);
    if (next.startsWith("test/") && existsSync(join(ROOT, next))) reachedFrom(next, reached);
  }
  return reached;
}

describe("D-TEST 1: projects have the name of what their tests need", () => {
  const usual = filesOf();
  const all = filesOf("--mode", "everything");

  it("each test file is in one; requirements are proven over other transports, too", () => {
    expect([...all.keys()].toSorted()).toEqual(TEST_FILES.toSorted());
    const several = [...all].filter(([, projects]) => projects.length > 1).map(([file]) => dirname(file));
    expect(new Set(several)).toEqual(new Set(["test/requirements"]));
  });

  it.each(Object.entries(NEEDS))("no other project needs %s", (need, helper) => {
    const needy = [...all].filter(([file]) => [...reachedFrom(file)].some((path) => helper.test(path)));
    expect(needy.length).toBeGreaterThan(10);
    const misplaced = needy.filter(([, projects]) => !projects.every((name) => MAY_NEED[need]?.includes(name)));
    expect(misplaced).toEqual([]);
  });

  it("npm test proves each requirement: what it leaves out proves none of them", () => {
    const left = TEST_FILES.filter((file) => !usual.has(file));
    expect(left.filter((file) => file.startsWith("test/requirements/"))).toEqual([]);
    expect(left.length).toBeLessThan(TEST_FILES.length / 5);
  });
});
