import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nameKey } from "../../src/auth/names.ts";

/** All characters that any mapping of case changes. */
const cased = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{CWCF}\p{CWU}\p{CWL}\p{CWT}]/u.test(character));

describe("D-UAC 13: names of users and groups are equal by simple case folding after NFC, and nothing more", () => {
  test.each([
    ["ALICE", "alice"],
    ["José Peña", "JOSE\u0301 PEN\u0303A"],
    ["STRAẞE", "straße"],
    ["ΟΔΟΣ", "οδος"],
    ["ΌΣΟΣ", "όσοσ"],
    ["Ёлка", "ёлка"],
    ["\u212Aelvin", "kelvin"],
    ["\u212Bngström", "ångström"],
    ["J\u030Cana", "\u01F0ana"],
    ["Ǆungla", "ǆungla"],
    ["ﬅ", "ﬆ"],
  ])("%s is %s", (one, other) => {
    expect(nameKey(one)).toBe(nameKey(other));
  });

  test.each([
    ["José Peña", "Jose Pena"],
    ["Ёлка", "Елка"],
    ["Straße", "STRASSE"],
    ["ﬁona", "fiona"],
    ["halıl", "halil"],
    ["İnci", "inci"],
    ["Øyvind", "Oyvind"],
    ["कि", "की"],
    ["ال", "الَ"],
    ["がく", "かく"],
    ["ａlice", "alice"],
    ["alice", "аlice"],
    ["alice", "al\u200Bice"],
    ["a b", "ab"],
    ["x²", "x2"],
  ])("%s is not %s", (one, other) => {
    expect(nameKey(one)).not.toBe(nameKey(other));
  });

  test("for every character: as regular expressions with the flags i and u, which fold by CaseFolding.txt", () => {
    const byKey = new Map<string, string[]>();
    for (const character of cased) byKey.set(nameKey(character), [...(byKey.get(nameKey(character)) ?? []), character]);
    const all = cased.join("");
    expect(cased.length).toBeGreaterThan(2800);
    for (const character of cased) {
      // What NFC takes away, such as the KELVIN SIGN, is not a difference to begin with.
      const composed = character.normalize("NFC");
      if (Array.from(composed).length > 1) continue;
      const same = all.match(new RegExp(`\\u{${composed.codePointAt(0)?.toString(16)}}`, "giu")) ?? [];
      const normal = new Set(same.filter((other) => other.normalize("NFC") === other));
      const ours = new Set(byKey.get(nameKey(character))?.filter((other) => other.normalize("NFC") === other));
      expect([character, ours]).toEqual([character, normal]);
    }
  });

  test("property: a key is its own key, and composition does not count", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const key = nameKey(name);
        expect([nameKey(key), nameKey(name.normalize("NFD")), nameKey(name.normalize("NFC"))]).toEqual([key, key, key]);
      }),
    );
  });
});
