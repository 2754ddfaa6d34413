import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { AdminError } from "../../src/core/errors.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { LongList } from "../../src/core/load/long-list.ts";
import { parseReply } from "../../transports/json-rpc/parse-reply.ts";
import { ReplyScan } from "../../transports/json-rpc/reply-scan.ts";
import { cases } from "../support/extent.ts";

/** What comes of a text with all parts of a long list, and in how many parts it was looked through. */
function parse(text: string): { value: unknown; parts: number } {
  const scan = new ReplyScan(Buffer.from(text));
  let parts = 0;
  for (; !scan.isDone; parts += 1) scan.next();
  return { value: whole(parseReply(scan, new Gate(systemClock))), parts };
}

/** A message with all rows of its result. */
function whole(message: unknown): unknown {
  const { result } = Object(message) as { result?: unknown };
  return result instanceof LongList
    ? { ...(message as object), result: result.with([...result.parts()].flat()) }
    : message;
}

const ROW = { symbol: 'S"[1]\\,{', size: "-12.5000", nested: [{ a: [] }], nothing: null, text: "é🙂".repeat(20) };
const ROWS = Array.from({ length: 2_000 }, (_, index) => ({ ...ROW, index }));

const TEXTS = { first: "x".repeat(50_000), second: "y".repeat(50_000) };

function valueIn(text: string): unknown {
  return parse(text).value;
}

/** Something in the place of which a long list of it is read. */
const anyRows = fc
  .array(fc.jsonValue(), { minLength: 1, maxLength: 8 })
  .map((some) => Array.from({ length: Math.ceil(200_000 / JSON.stringify(some).length) }, () => some).flat());

describe("D-LINK 12: a huge reply is parsed in parts", () => {
  it.each([
    ["as the result", { jsonrpc: "2.0", id: 7, result: ROWS }],
    ["in a field of the result", { jsonrpc: "2.0", id: 7, result: { columns: ["a"], "ro\tws": ROWS, more: [1] } }],
    ["with the id behind it", { result: ROWS, id: 7, jsonrpc: "2.0" }],
    ["with white space", { result: ROWS }],
  ])("that is a long list %s, as JSON.parse would", (how, message) => {
    const text = JSON.stringify(message, null, how === "with white space" ? "\t" : undefined);
    const { value, parts } = parse(text);
    expect(value).toEqual(message);
    expect(parts).toBeGreaterThan(4);
  });

  it.each([
    ["a short list", { result: [1, 2, 3] }],
    ["no object", [1, 2, 3]],
    ["a list of 60 KB", { result: ROWS.slice(0, 300) }],
  ])("unless it is %s, which is parsed immediately", (_what, message) => {
    expect(valueIn(JSON.stringify(message))).toEqual(message);
  });

  it.each([
    ["behind 100 KB of other members", { result: { notes: TEXTS, rows: ROWS } }],
    ["behind a short list", { result: { columns: ["a", "b"], rows: ROWS } }],
    ["before 100 KB of other members", { result: { rows: ROWS, notes: TEXTS }, id: 7 }],
  ])("also when the list stands %s", (_where, message) => {
    const { value, parts } = parse(JSON.stringify(message));
    expect(value).toEqual(message);
    expect(parts).toBeGreaterThan(4);
  });

  it("unless there is no gate: then it is the plain value", () => {
    const message = { jsonrpc: "2.0", id: 7, result: ROWS };
    expect(parseReply(new ReplyScan(Buffer.from(JSON.stringify(message))), undefined)).toEqual(message);
  });

  it("whatever its rows, as JSON.parse would", () => {
    fc.assert(
      fc.property(anyRows, fc.boolean(), (rows, inField) => {
        const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result: inField ? { rows } : rows });
        const { value, parts } = parse(text);
        expect(value).toEqual(JSON.parse(text));
        expect(parts).toBeGreaterThan(0);
      }),
      { numRuns: 50 },
    );
  });

  it("and refused when JSON.parse refuses it, wherever it is broken, and read the same when it does not", () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result: ROWS.slice(0, 600) });
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom("", ",", "]", "}", "[", '"', "\\", ":", " "), (at, put) => {
        // Half a character becomes a whole one on its way through UTF-8.
        const broken = Buffer.from(text.slice(0, at) + put + text.slice(at + 1)).toString();
        expect(valueOrError(() => parse(broken).value)).toEqual(valueOrError(() => JSON.parse(broken)));
      }),
      { numRuns: cases(300) },
    );
  });

  it.each([
    ["a comma too many", (list: string) => `${list},`],
    [
      "a comma too many, with space behind it that is longer than a part",
      (list: string) => `${list},${" ".repeat(90_000)}`,
    ],
    ["nothing but space between two commas", (list: string) => `${list},${" ".repeat(90_000)},1`],
    ["an end that is missing", (list: string) => `${list}]`.slice(0, -2)],
  ])("and refused in the case of %s", (_what, change) => {
    const list = JSON.stringify(ROWS).slice(1, -1);
    expect(valueOrError(() => parse(`{"result":[${change(list)}]}`).value)).toBe("SyntaxError");
  });
});

function valueOrError(parsed: () => unknown): unknown {
  try {
    return parsed();
  } catch (error) {
    return error instanceof AdminError ? (error.cause as Error).name : (error as Error).name;
  }
}
