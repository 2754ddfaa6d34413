import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { projectionPathPattern, projectionPattern } from "../../src/core/operations/fields.ts";
import {
  ProjectionSyntaxError,
  parseProjection,
  parseProjectionPath,
  printProjection,
  printProjectionPath,
  projectionKeys,
  STANDARD_PROJECTION_KEYS,
} from "../../src/core/values/projection.ts";
import { cases } from "../support/extent.ts";
import { unknownKey } from "../support/unknown-key.ts";

const keys = fc.shuffledSubarray([...STANDARD_PROJECTION_KEYS]);
const value = fc
  .oneof(fc.string({ minLength: 1 }), fc.stringMatching(/^[\]/[ab]+$/))
  .filter((text) => text !== "" && !text.includes("]/"));
const segments = keys.chain((chosen) => fc.tuple(...chosen.map((key) => fc.record({ key: fc.constant(key), value }))));

function reasonAgainst(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ProjectionSyntaxError) return error.message;
    throw error;
  }
}

describe("projection paths", () => {
  it("convention 4: parser and printer are inverses", () => {
    fc.assert(
      fc.property(segments, (path) => {
        expect(parseProjectionPath(printProjectionPath(path))).toEqual(path);
      }),
      { numRuns: cases(2_000) },
    );
  });

  it("whatever the parser accepts, the printer prints back to the letter", () => {
    const text = fc.stringMatching(/^((Account|Symbol|Source|X)?\[?[a/\]]{0,4}\]?\/?){0,3}$/);
    fc.assert(
      fc.property(text, (path) => {
        try {
          expect(printProjectionPath(parseProjectionPath(path))).toBe(path);
        } catch (error) {
          if (!(error instanceof ProjectionSyntaxError)) throw error;
        }
      }),
      { numRuns: cases(2_000) },
    );
  });

  it("D-VAL 3: the pattern of the schemas agrees with the parser, except for keys that come twice", () => {
    const pattern = new RegExp(projectionPathPattern(projectionKeys()), "u");
    const segment = fc.stringMatching(/^(Account|Symbol|X)?\[?[a/\]\n[]{0,5}\]?$/);
    const text = fc.array(segment, { maxLength: 4 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(fc.oneof(text, segments.map(printProjectionPath)), (path) => {
        const reason = reasonAgainst(() => parseProjectionPath(path));
        if (reason?.includes("twice")) return;
        expect([path, pattern.test(path)]).toEqual([path, reason === undefined]);
      }),
      { numRuns: cases(5_000) },
    );
  });

  it("convention 4: the empty string is the root", () => {
    expect(parseProjectionPath("")).toEqual([]);
    expect(printProjectionPath([])).toBe("");
  });

  it("D-VAL 3: a value may hold a slash, and a bracket that ends nothing", () => {
    expect(parseProjectionPath("Symbol[BTC/USD]/Account[a]b]")).toEqual([
      { key: "Symbol", value: "BTC/USD" },
      { key: "Account", value: "a]b" },
    ]);
  });

  it.each([
    ["Account[]", 'segment "Account[]" has an empty value'],
    ["Account[a]/Account[b]", 'projection key "Account" is given twice'],
    ["account[a]", unknownKey("account")],
    ["Account[a]x", 'segment "Account[" is not closed by "]"'],
    ["Account[a]/", 'ends with "/"'],
    ["/Account[a]", unknownKey("/Account")],
    ["Account[a]//Symbol[b]", unknownKey("/Symbol")],
    ["Account", 'expected Key[value] segments joined by "/", found "Account"'],
    ["[a]", unknownKey("")],
    ["Account[a]/Symbol", 'expected Key[value] segments joined by "/", found "Symbol"'],
  ])("D-VAL 3: %s is refused", (path, message) => {
    expect(() => parseProjectionPath(path)).toThrow(new ProjectionSyntaxError(message));
  });

  it("D-VAL 3: the printer refuses what no path can hold", () => {
    const refusal = (value: string) => reasonAgainst(() => printProjectionPath([{ key: "Account", value }]));
    expect(refusal("")).toBe('the value of projection key "Account" is empty');
    expect(refusal("a]/b")).toBe('the value of projection key "Account" holds "]/"');
  });
});

describe("projections", () => {
  it("convention 5: parser and printer are inverses", () => {
    fc.assert(fc.property(keys, (chosen) => void expect(parseProjection(printProjection(chosen))).toEqual(chosen)));
  });

  it.each(["Foo", "symbol", "Symbol/", "/Symbol", "Symbol/Symbol", " "])("D-VAL 2: %j is refused", (text) => {
    expect(() => parseProjection(text)).toThrow(ProjectionSyntaxError);
  });

  it("D-VAL 2: a setting adds keys", () => {
    expect([...projectionKeys()]).toEqual([...STANDARD_PROJECTION_KEYS]);
    expect([...projectionKeys(["Desk"])]).toEqual([...STANDARD_PROJECTION_KEYS, "Desk"]);
    expect(parseProjection("Desk/Symbol", projectionKeys(["Desk"]))).toEqual(["Desk", "Symbol"]);
    expect(parseProjectionPath("Desk[d]", projectionKeys(["Desk"]))).toEqual([{ key: "Desk", value: "d" }]);
  });
});

describe("D-VAL 2: the pattern of projections", () => {
  it("agrees with the parser, except for keys that come twice; added keys are taken literally", () => {
    const known = new Set([...STANDARD_PROJECTION_KEYS, "A.B"]);
    const pattern = new RegExp(projectionPattern(known), "u");
    const text = fc.array(fc.constantFrom("Account", "Symbol", "A.B", "AxB", "", "account"), { maxLength: 4 });
    fc.assert(
      fc.property(text, (parts) => {
        const projection = parts.join("/");
        const reason = reasonAgainst(() => parseProjection(projection, known));
        if (reason?.includes("twice")) return;
        expect([projection, pattern.test(projection)]).toEqual([projection, reason === undefined]);
      }),
    );
  });
});
