import { describe, expect, it } from "vitest";
import { isTypable, shellWord, visible } from "../../src/core/values/basics.ts";
import { outputOf } from "../support/output-of.ts";

/** What a shell hands on for each word. */
function typed(words: readonly string[]): string[] {
  const stdout = outputOf("bash", ["-c", `printf '%s\\0' ${words.join(" ")}`]);
  return stdout.split("\0").slice(0, -1);
}

const TEXTS = [
  "GOLD",
  "Account[GOLD]/Symbol[AAPL]",
  "it's $HOME `x` \\n",
  "it's\n\\u000a1",
  "\u001b[2J7",
  "-\t",
  "José\u200b 取引\u{e0041}'",
];

describe("D-UAC 23: a text as a word that somebody types", () => {
  it("is that text in a shell, whatever its characters are", () => {
    expect(typed(TEXTS.map(shellWord))).toEqual(TEXTS);
  });

  it.each(TEXTS)("of %j has only characters that can be seen: none has to be escaped for the eye", (text) => {
    expect(visible(shellWord(text))).toBe(shellWord(text));
  });

  it("is without quotes or in usual ones where it can be", () => {
    expect(["AAPL", "a b", "it's", "a\nb"].map(shellWord)).toEqual(["AAPL", "'a b'", "'it'\\''s'", "$'a\\012b'"]);
  });

  it("cannot be had of one that no argument can have", () => {
    expect(["a\nb", "👍", "a\0b", "\ud83d"].map(isTypable)).toEqual([true, true, false, false]);
  });
});
