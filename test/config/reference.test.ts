import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { REMOVED_KEYS, SETTING_KEYS, settingInfo } from "../../src/config/settings.ts";
import { beside } from "./setting-cases.ts";
import { configurationReference } from "./settings-reference.ts";

const DOCUMENT = new URL("../../docs/reference/settings.md", import.meta.url);

describe("the reference is generated from the table", () => {
  test("docs/reference/settings.md is what the table says (UPDATE_DOCS=1 rewrites it)", async () => {
    if (process.env.UPDATE_DOCS === "1") await writeFile(DOCUMENT, configurationReference());
    expect(await readFile(DOCUMENT, "utf8")).toBe(configurationReference());
  });

  test("with a row of the right width for every setting and every removed key", () => {
    const rows = configurationReference()
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").slice(1, -1));
    expect(rows.map(([key]) => key?.trim())).toEqual(
      [...SETTING_KEYS, ...Object.keys(REMOVED_KEYS)].map((key) => `\`${key}\``),
    );
    expect(rows.map((row) => row.length)).toEqual([
      ...SETTING_KEYS.map(() => 4),
      ...Object.keys(REMOVED_KEYS).map(() => 2),
    ]);
  });

  test.each(SETTING_KEYS)("with the default that is effective: %s", (key) => {
    const { fallback } = settingInfo(key);
    const settings = parseSettings("", "application.yaml");
    const value = fallback === "" ? "[]" : JSON.stringify(fallback);
    const written = parseSettings(value === undefined ? "" : `${key}: ${value}${beside(key)}`, "application.yaml");
    expect(written[key]).toEqual(settings[key]);
    expect(settings[key] === undefined).toBe(fallback === undefined);
  });
});
