import fc from "fast-check";

/** Bodies that the operations accept, with values of the sample installation. */
const VALID: readonly unknown[] = [
  {},
  { projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: true },
  { projectionPath: "Source[FIXCLIENT1]/Account[GOLD]", reason: "open again" },
  {
    projection: "Account/Symbol",
    commands: [
      {
        type: "UPDATE",
        conditions: { Account: "*", Symbol: "*" },
        limits: { MaxOrderSize: "10", MaxPositionLong: null },
      },
      { type: "INSERT", conditions: { Account: "GOLD", Symbol: "EUR/USD" }, limits: { MaxOrderSize: "1.5" } },
      { type: "DELETE", conditions: { Account: "PENSION", Symbol: "AAPL" } },
    ],
  },
  { projection: "Source", commands: [{ type: "UPDATE", conditions: { Source: "*" }, limits: { MaxOrderSize: "7" } }] },
  { projection: "", commands: [{ type: "UPDATE", conditions: {}, limits: { MaxOrderNotional: "1e9" } }] },
  { projection: "Exchange/Symbol", exchange: "NASDAQ", symbol: "AAPL", account: null, traderId: "asmith" },
  {
    projectionPath: "Account[GOLD]/Symbol[AAPL]",
    size: "-10.25",
    relative: true,
    averageCost: "NaN",
    realizedPnL: "0",
  },
  { reason: "maintenance" },
];

/** Values that programs trip over. */
const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "",
  " ",
  "NaN",
  "Infinity",
  "1e5",
  "+0.10",
  "0x10",
  "9".repeat(65),
  "\u0000",
  "\u2028\u202e",
  "\ud800",
  "line\r\nX-Injected: 1",
  "<script>alert(1)</script>",
  "Account[",
  "Account[]]/Account[x]",
  "Symbol[BTC/USD]",
  "Nowhere/Symbol",
  "constructor",
  "hasOwnProperty",
  [],
  [[]],
  {},
  { constructor: 1, toString: null, valueOf: [] },
];

const odd = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ODD) }, { weight: 1, arbitrary: fc.jsonValue() });

type Step = string | number;

function pathsIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const fields = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...fields.flatMap(([step, field]) => pathsIn(field, [...path, step]))];
}

function replaced(value: unknown, [step, ...rest]: readonly Step[], by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((field, index) => (index === step ? replaced(field, rest, by) : field));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [step]: replaced(fields[step], rest, by) };
}

const valid = fc.constantFrom(...VALID);

/** A valid body in which one value anywhere is another. */
const mutated = fc
  .tuple(valid, fc.nat(), odd)
  .map(([body, place, by]) => replaced(body, pathsIn(body)[place % pathsIn(body).length] ?? [], by));

/** A valid body with one more key anywhere, also one that it has. */
const extended = fc
  .tuple(valid, fc.nat(), fc.constantFrom("reason", "size", "projection", "__proto__", "constructor", "a b", ""), odd)
  .map(([body, place, key, by]) => {
    const text = JSON.stringify(body);
    const braces = [...text.matchAll(/\{/g)].map(({ index }) => index + 1);
    const at = braces[place % braces.length] ?? 1;
    return `${text.slice(0, at)}${JSON.stringify(key)}:${JSON.stringify(by)}${text[at] === "}" ? "" : ","}${text.slice(at)}`;
  });

/** The text of a valid body, cut or with something strange in the middle. */
const damaged = fc
  .tuple(
    valid,
    fc.nat(),
    fc.nat(4),
    fc.constantFrom("", "\u0000", "\\", '"', "}", "]", ",", "\ufeff", "\\ud800", "//", "1e999"),
  )
  .map(([body, place, lost, inserted]) => {
    const text = JSON.stringify(body);
    const at = place % (text.length + 1);
    return text.slice(0, at) + inserted + text.slice(at + lost);
  });

const nested = fc
  .tuple(
    fc.constantFrom('{"a":', "[", '{"commands":[', '{"conditions":{"x":'),
    fc.constantFrom(1, 30, 31, 32, 33, 400, 20_000),
  )
  .map(([open, depth]) => {
    const closing = [...open].reverse().flatMap((c) => (c === "{" ? ["}"] : c === "[" ? ["]"] : []));
    return `${open.repeat(depth)}1${closing.join("").repeat(depth)}`;
  });

const numbers = fc.constantFrom(
  "1e400",
  "-1e-400",
  "9".repeat(5_000),
  "0.".padEnd(3_000, "1"),
  "-0",
  "01",
  "+1",
  "NaN",
);

/** Beyond the limit of 128 KiB, or just below it. Rare: each costs as much as a thousand others. */
const large = fc
  .constantFrom(128 * 1024 - 20, 128 * 1024 + 1, 3 * 1024 * 1024)
  .map((size) => `{"reason":"${"x".repeat(size)}"}`);

const text = fc.oneof(
  { weight: 60, arbitrary: valid.map((body) => JSON.stringify(body)) },
  { weight: 60, arbitrary: mutated.map((body) => JSON.stringify(body)) },
  { weight: 25, arbitrary: extended },
  { weight: 25, arbitrary: damaged },
  { weight: 12, arbitrary: fc.json() },
  { weight: 6, arbitrary: nested },
  { weight: 6, arbitrary: numbers.map((number) => `{"size":${number},"projectionPath":""}`) },
  {
    weight: 6,
    arbitrary: fc.constantFrom("", " ", "\r\n", "null", "[]", "{}{}", "{} ", "\ufeff{}", "a=b&c=d", "<a/>"),
  },
  { weight: 3, arbitrary: large },
);

/** Bodies of requests: valid ones, those with a fault somewhere, and noise. */
export const bodies: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 30, arbitrary: text.map((body) => Buffer.from(body)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: text.map((body) => Buffer.from(body, "utf16le")) },
);
