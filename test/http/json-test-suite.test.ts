import { describe, expect, test } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { parseJson, parseJsonInSteps } from "../../src/http/parse-json.ts";
import { DUPLICATE_KEYS, JSON_CASES, type JsonCase } from "./json-test-suite.ts";

const MAX_CONTAINERS = 1_000;

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["in one piece", parseJson],
  ["in steps", inSteps],
];

function inSteps(text: string): unknown {
  const parsing = parseJsonInSteps(text, MAX_CONTAINERS);
  for (;;) {
    const { done, value } = parsing.next();
    if (done) return value;
  }
}

/** The value, or the message of the refusal; any other error is thrown. */
function outcome(read: (text: string) => unknown, text: string): { readonly value: unknown } | string {
  try {
    return { value: read(text) };
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
    test.each(kind("y_"))("$name is accepted, unless a key stands twice", ({ name, bytes }) => {
      const text = bytes.toString();
      if (DUPLICATE_KEYS.includes(name)) expect(outcome(read, text)).toMatch(/ holds the key "a" twice in one object$/);
      else expect(outcome(read, text)).toEqual({ value: JSON.parse(text) });
    });

    test.each(kind("n_"))("$name is refused", ({ bytes }) => {
      expect(outcome(read, bytes.toString())).toMatch(/ is not valid JSON$| is nested deeper than 32 levels$/);
    });

    test.each(kind("i_"))("$name is read as JSON.parse does, or refused", ({ bytes }) => {
      const text = bytes.toString();
      const found = outcome(read, text);
      if (typeof found === "string") expect(found).toMatch(/^The request body /);
      else expect(found).toEqual({ value: JSON.parse(text) });
    });
  });
});
