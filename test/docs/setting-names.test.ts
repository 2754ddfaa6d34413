import { describe, expect, test } from "vitest";
import { canonicalKey } from "../../src/config/property.ts";
import { settingTarget } from "../../src/config/setting-target.ts";
import { REMOVED_KEYS, SETTING_KEYS } from "../../src/config/settings.ts";
import { readText } from "./bus-files.ts";
import { PAGES } from "./pages.ts";

/** Text in backticks. */
const CODE = /`([^`\n]+)`/g;

/** A dotted key with one of the first words of ours, where a setting can be given: alone, before a value, as an argument. */
const FIRST_WORDS = [...new Set(SETTING_KEYS.map((key) => key.split(".")[0]))].join("|");
const KEY = new RegExp(`^(?:- )?(?:--)?((?:${FIRST_WORDS})\\.[\\w.*\\[\\]-]+?)(?:\\.\\*|\\.\\.\\.)?(?:[:=].*)?$`);

/** Settings that a document names, each once. */
function namedIn(text: string): string[] {
  const spans = [...text.matchAll(CODE)].map(([, span]) => span ?? "");
  const lines = text.split("\n").map((line) => line.trim());
  return [...new Set([...spans, ...lines].flatMap((code) => KEY.exec(code)?.[1] ?? []))];
}

/** Whether a key is that of a setting, of an element of a list, of a section, or of one that is gone, or is a file of Python. */
function exists(key: string): boolean {
  if (key.endsWith(".py")) return true;
  const plain = key.replace(/\[\d+\]$/, "");
  if (settingTarget(plain) !== undefined || key in REMOVED_KEYS) return true;
  return SETTING_KEYS.some((known) => canonicalKey(known).startsWith(`${canonicalKey(plain)}.`));
}

describe("settings that the documents name exist", () => {
  test.each(PAGES)("in %s", (page) => {
    expect(namedIn(readText(page)).filter((key) => !exists(key))).toEqual([]);
  });

  test("and the check finds names where documents have them", () => {
    const text = "`server.port`, `server.port: 1`, `--server.bad=1`, `server.ssl.*`\n\n    admin.api.enabled: true\n";
    expect(namedIn(text)).toEqual(["server.port", "server.bad", "server.ssl", "admin.api.enabled"]);
    expect(["server.port", "server.bad", "server.ssl", "admin.projection-keys"].map(exists)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
