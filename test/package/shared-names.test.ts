import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url).pathname;
const DECLARATION = /^export (?:async )?(?:abstract )?(?:function\*?|class|interface|type|const) (\w+)/gm;

/** What the file of each command exports, one contract (`CommandDefinition.load`). */
const CONTRACTS: ReadonlySet<string> = new Set(["run"]);

function sources(): string[] {
  return ["src", "transports"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
}

describe("exported names of the sources", () => {
  it("D-PKG 10: each is declared in one file alone", () => {
    const files = new Map<string, Set<string>>();
    for (const file of sources()) {
      for (const [, name = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(DECLARATION)) {
        files.set(name, (files.get(name) ?? new Set()).add(file));
      }
    }
    expect(files.size).toBeGreaterThan(800);
    const shared = [...files].filter(([name, { size }]) => size > 1 && !CONTRACTS.has(name));
    expect(shared.map(([name, where]) => `${name}: ${[...where].join(", ")}`)).toEqual([]);
  });
});
