import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AdminError } from "../../src/core/errors.ts";
import { parseJson, parseJsonInTurns } from "../../src/http/parse-json.ts";
import { CountedTurns } from "../support/counted-turns.ts";
import { cases } from "../support/extent.ts";

async function inTurns(text: string, maxContainers = 1_000_000): Promise<{ value: unknown; turns: number }> {
  const turns = new CountedTurns();
  const value = await parseJsonInTurns(text, maxContainers, turns);
  return { value, turns: turns.count };
}

/** What a parser makes of a text: its value, or that it refuses it. */
function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return error instanceof SyntaxError || (error instanceof AdminError && error.code === "BAD_REQUEST")
      ? "refused"
      : error;
  }
}

const spacing = fc.constantFrom("", " ", "\n\t", "\r\n ");

describe("D-HTTP 5, D-PKG 3: bodies are JSON as JSON.parse reads it, and stricter", () => {
  it("reads whatever JSON there is to the same value, in one piece and in turns", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ noUnicodeString: false }), spacing, spacing, async (json, before, after) => {
        const text = before + json + after;
        if (json.includes("__proto__")) return;
        expect(outcome(parseJson, text)).toEqual(outcome(JSON.parse, text));
        expect((await inTurns(text)).value).toEqual(JSON.parse(text));
      }),
      { numRuns: cases(500) },
    );
  });

  it("refuses what JSON.parse refuses, wherever a character is taken away, doubled or replaced", () => {
    const samples = [
      '{"a":[1,-0.5e+3,true,false,null,"x\\u00e9\\"\\\\",{}],"b":{"c":[]}, "d" : "" }',
      '[[],[[]],{"k":{"l":0}}]',
      '"\\ud83d\\ude00"',
    ];
    const broken = fc.tuple(
      fc.constantFrom(...samples),
      fc.nat(80),
      fc.constantFrom("", ",", "}", "]", '"', "\\", "0", "-"),
    );
    fc.assert(
      fc.property(broken, ([sample, at, put]) => {
        const text = sample.slice(0, at) + put + sample.slice(at + 1);
        if (hasDuplicates(text)) return;
        expect(outcome(parseJson, text)).toEqual(outcome(JSON.parse, text));
      }),
      { numRuns: cases(3_000) },
    );
  });

  it.each([
    ["a key twice", '{"a":1,"a":2}', 'The request body holds the key "a" twice in one object'],
    ["a key twice, escaped", '{"a":1,"\\u0061":2}', 'The request body holds the key "a" twice in one object'],
    ["a key twice, deep", '[{"x":{"b":[],"b":0}}]', 'The request body holds the key "b" twice in one object'],
    ["__proto__", '{"__proto__":{}}', 'The request body holds the key "__proto__"'],
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`, "The request body is nested deeper than 32 levels"],
    [
      "1,001 fields",
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, 0]))),
      "The request body holds an object with more than 1,000 fields",
    ],
  ])("refuses %s and says so", (_, text, message) => {
    expect(() => parseJson(text)).toThrow(message);
  });

  it("D-HTTP 17: 32 levels and 1,000 fields are accepted, and names that every object inherits are names like others", () => {
    const deep = `${"[".repeat(32)}${"]".repeat(32)}`;
    expect(parseJson(deep)).toEqual(JSON.parse(deep));
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, index])));
    expect(parseJson(wide)).toEqual(JSON.parse(wide));
    expect(parseJson('{"constructor":1,"toString":2}')).toEqual({ constructor: 1, toString: 2 });
  });

  it("D-HTTP 17: refuses more objects and arrays than the limit, and takes as many", async () => {
    const text = '{"list":[[],{},[1]]}';
    expect((await inTurns(text, 5)).value).toEqual({ list: [[], {}, [1]] });
    await expect(inTurns(text, 4)).rejects.toThrow("The request body holds more than 4 objects and arrays");
  });

  it.each([
    [
      "the field",
      (long: string) => ({ commands: [{}, { conditions: { Account: long } }] }),
      "commands[1].conditions.Account",
    ],
    ["the element", (long: string) => ({ list: ["", long] }), "list[1]"],
    ["the key", (long: string) => ({ a: "", [long]: 0 }), `${"x".repeat(256)}...`],
    ["the body", (long: string) => long, "request body"],
  ])(
    "D-LOAD 3, D-HTTP 17: refuses a string that is too long for any field before it is read, and names %s",
    async (_, bodyOf, place) => {
      const text = JSON.stringify(bodyOf("x".repeat(16_000_000)));
      for (const parse of [parseJson, inTurns]) {
        await expect(async () => parse(text)).rejects.toThrow(`${place}: must be at most 1,024 characters long`);
      }
    },
  );

  it("a string of many megabytes with escapes is refused as well, and does not exhaust the stack", async () => {
    const text = JSON.stringify({ reason: 'x"\\'.repeat(4_000_000) });
    for (const parse of [parseJson, inTurns]) {
      await expect(async () => parse(text)).rejects.toThrow("reason: must be at most 1,024 characters long");
    }
  });

  it("D-LOAD 3: 1,024 characters are read however they are written", async () => {
    const text = `{"reason":"${"\\ud83d\\ude00".repeat(1_024)}"}`;
    const read = { reason: "😀".repeat(1_024) };
    expect([parseJson(text), (await inTurns(text)).value]).toEqual([read, read]);
  });
});

describe("D-LOAD 2: long bodies are parsed in turns", () => {
  it.each([0, { a: [] }])("one for about a thousand values, however they are nested: %j", async (value) => {
    expect((await inTurns(JSON.stringify(Array(10_000).fill(value)))).turns).toBeGreaterThanOrEqual(10);
  });
});

function hasDuplicates(text: string): boolean {
  try {
    parseJson(text);
    return false;
  } catch (error) {
    return String(error).includes("twice");
  }
}
