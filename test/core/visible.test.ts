import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { visible } from "../../src/core/values/basics.ts";

/** Characters that a browser acts on or does not show, and how each is written. */
const UNSEEN: readonly (readonly [character: string, written: string])[] = [
  ["\u200b", "\\u200b"],
  ["\u200d", "\\u200d"],
  ["\u2060", "\\u2060"],
  ["\ufeff", "\\ufeff"],
  ["\u202e", "\\u202e"],
  ["\u2069", "\\u2069"],
  ["\u061c", "\\u061c"],
  ["\u00ad", "\\u00ad"],
  ["\u034f", "\\u034f"],
  ["\u115f", "\\u115f"],
  ["\u3164", "\\u3164"],
  ["\uffa0", "\\uffa0"],
  ["\ufe0f", "\\ufe0f"],
  ["\u{e0041}", "\\udb40\\udc41"],
  ["\u2028", "\\u2028"],
  ["\u0000", "\\u0000"],
  ["\u001b", "\\u001b"],
  ["\u0085", "\\u0085"],
];

describe("D-PAGE 20: characters that cannot be seen are written as escapes", () => {
  it.each(UNSEEN)("%j", (character, written) => {
    expect(visible(`GO${character}LD`)).toBe(`GO${written}LD`);
  });

  it.each(["GOLD", "José Peña", "Jose\u0301", "取引", "العربية", "👍", "a b", 'Account[GOLD]/"x"', "\\u200b"])(
    "but %j is shown as it is",
    (text) => {
      expect(visible(text)).toBe(text);
    },
  );

  it("pages put texts into the document in one place, which does so", () => {
    const sources = ["src/console/page", "src/openapi/page/browser"].flatMap((folder) =>
      readdirSync(folder).flatMap((name) => (name.endsWith(".ts") ? [join(folder, name)] : [])),
    );
    expect(sources.length).toBeGreaterThan(30);
    const others =
      /\.(?:textContent|innerText|innerHTML|outerHTML|data) = |insertAdjacent|createTextNode|document\.write/;
    expect(sources.filter((file) => others.test(readFileSync(file, "utf8")))).toEqual([]);
  });
});
