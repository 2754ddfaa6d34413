import { describe, expect, test } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { parseJson, parseJsonInTurns } from "../../src/http/parse-json.ts";
import { CountedTurns } from "../support/counted-turns.ts";
import { DUPLICATE_KEYS, JSON_CASES, type JsonCase } from "./json-test-suite.ts";

const MAX_CONTAINERS = 1_000;

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["in one piece", parseJson],
  ["in turns", (text) => parseJsonInTurns(text, MAX_CONTAINERS, new CountedTurns())],
];

/** The value, or the message of the refusal; any other error is thrown. */
async function outcome(read: (text: string) => unknown, text: string): Promise<{ readonly value: unknown } | string> {
  try {
    return { value: await read(text) };
  } catch (error) {
    if (error instanceof AdminError && error.code === "BAD_REQUEST") return error.message;
    throw error;
  }
}

function kind(prefix: string): readonly JsonCase[] {
  return JSON_CASES.filter(({ name }) => name.startsWith(prefix));
}

describe("D-HTTP 5: bodies are read as JSONTestSuite says", () => {
  test("the suite is complete", () => {
    expect([kind("y_").length, kind("n_").length, kind("i_").length]).toEqual([95, 188, 35]);
  });

  describe.each(READERS)("%s", (_, read) => {
    test.each(kind("y_"))("$name is accepted, unless a key stands twice", async ({ name, bytes }) => {
      const text = bytes.toString();
      const found = await outcome(read, text);
      if (DUPLICATE_KEYS.includes(name)) expect(found).toMatch(/ holds the key "a" twice in one object$/);
      else expect(found).toEqual({ value: JSON.parse(text) });
    });

    test.each(kind("n_"))("$name is refused", async ({ bytes }) => {
      expect(await outcome(read, bytes.toString())).toMatch(/ is not valid JSON$| is nested deeper than 32 levels$/);
    });

    test.each(kind("i_"))("$name is read as JSON.parse does, or refused", async ({ bytes }) => {
      const text = bytes.toString();
      const found = await outcome(read, text);
      if (typeof found === "string") expect(found).toMatch(/^The request body /);
      else expect(found).toEqual({ value: JSON.parse(text) });
    });
  });
});
