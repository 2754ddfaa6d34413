import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { AdminEvents } from "../../src/core/events.ts";
import { asJson } from "../../src/core/load/output-form.ts";
import { type OperationName, operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { stopOnly } from "../../src/policy/ready-made.ts";
import { startTestRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";

type Row = Readonly<Record<string, unknown>>;

const chief = principal("chief", PERMISSIONS);

/** The reads that list something, the field with the rows where the list is not the output itself. */
const LISTS = [
  ["listPositions", undefined],
  ["getRiskTable", "rows"],
  ["listServices", undefined],
  ["listFixGateways", undefined],
  ["listFixSessions", undefined],
] as const satisfies readonly (readonly [OperationName, string | undefined])[];

const READS = operationNames.filter((name) => operationRecord(operations, name).lane === "read");

function exampleOf(name: OperationName): { readonly input: unknown; readonly output: unknown } {
  const [first] = operationRecord(operations, name).examples;
  return first;
}

interface Shown {
  readonly output: unknown;
  readonly warnings: readonly string[];
  readonly events: readonly AdminEvents["invalidReply"][];
}

/** An installation whose engine replies so to an operation. */
async function replying(name: OperationName, output: unknown, options: TestRigOptions = {}): Promise<TestRig> {
  const rig = await startTestRig(options);
  vi.spyOn(rig.engine, name).mockReturnValue(output as never);
  return rig;
}

/** What a caller sees of a reply of the engine, as a value, which has to be the same as JSON. */
async function shown(name: OperationName, reply: unknown): Promise<Shown> {
  const rig = await replying(name, reply);
  const warnings: string[] = [];
  const events: AdminEvents["invalidReply"][] = [];
  const stopListening = rig.api.on("invalidReply", (event) => events.push(event));
  const { input } = exampleOf(name);
  const output = await rig.api.call(name, input as never, chief, { onWarning: (message) => warnings.push(message) });
  stopListening();
  const source = { known: {}, read: () => input };
  const json = await rig.api.invoke(name, source, chief, {}, asJson);
  const text = typeof json === "string" ? json : Buffer.concat(json.parts).toString();
  expect(JSON.parse(text)).toEqual(output);
  expect(operationRecord(operations, name).output.safeParse(output).error).toBeUndefined();
  await rig.close();
  return { output, warnings, events };
}

/** The row of an operation's example, its texts with a number, so that no two are equal. */
function rowOf(name: OperationName, field: string | undefined, number: number): Row {
  const { output } = exampleOf(name);
  const [row] = (field === undefined ? output : (output as Record<string, unknown>)[field]) as readonly Row[];
  const names = ["projection", "gatewayName", "name", "sessionId"];
  const numbered = Object.entries(row ?? {}).map(([key, value]) => [
    key,
    names.includes(key) ? `${value}-${number}` : value,
  ]);
  const isRisk = name === "getRiskTable";
  return { ...Object.fromEntries(numbered), ...(isRisk && { conditions: { Account: `A${number}`, Symbol: "*" } }) };
}

function listOf(field: string | undefined, rows: readonly unknown[]): unknown {
  return field === undefined ? rows : { projection: "Account/Symbol", [field]: rows };
}

function rowsIn(output: unknown, field: string | undefined): readonly Row[] {
  return (field === undefined ? output : (output as Record<string, unknown>)[field]) as readonly Row[];
}

/** Values that an engine may send where another is due. */
const VALUES = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    null,
    undefined,
    2 ** 53,
    -(2 ** 60),
    1.5,
    "1e-7",
    "NaN",
    "",
    "Connected",
    "DropCopy",
    true,
    [],
    {},
    { MaxOrderSize: "1e-7" },
    Number.NaN,
    10n,
  ),
);

/** One warning that a header can hold, with these words. */
function expectNamed(warnings: readonly string[], words: string): void {
  expect(warnings).toEqual([expect.stringMatching(/^[ -~]{1,400}$/)]);
  expect(warnings.join()).toContain(words);
}

/** A row is as it was sent but for one field, which is, too, or is null or absent and named. */
function expectOnlyField(row: Row, sent: Row, key: string, warnings: readonly string[]): void {
  expect({ ...row, [key]: undefined }).toEqual({ ...sent, [key]: undefined });
  const value = row[key] ?? undefined;
  if (value === undefined && (sent[key] ?? undefined) !== undefined) expectNamed(warnings, key);
  if (value !== undefined) expect([value, warnings]).toEqual([sent[key], []]);
}

it("a result of which nothing can be shown is in the log in one line, with its operation and its fields", async () => {
  const rig = await replying("getService", { name: 7 });
  const causes: unknown[] = [];
  rig.api.on("failure", ({ error }) => causes.push((error.cause as Error).message));
  await expect(rig.as(chief).getService({ name: "SIM" })).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  expect(causes).toEqual([
    expect.stringMatching(/^The result of getService does not conform to its schema: name: [^\n]*$/),
  ]);
  await rig.close();
});

describe("D-VAL 11: one bad value hides nothing else", () => {
  it.each(LISTS)(
    "%s: whatever one field of one row becomes, every other row is shown as it is",
    async (name, field) => {
      const property = fc.asyncProperty(
        fc.constantFrom(1, 3, 251, 700),
        fc.nat(),
        fc.nat(),
        VALUES,
        async (count, ...where) => {
          const rows = Array.from({ length: count }, (_, number) => rowOf(name, field, number));
          const [place, which, value] = where;
          const at = place % count;
          const good = rows[at] ?? {};
          const key = Object.keys(good)[which % Object.keys(good).length] ?? "";
          const { output, warnings } = await shown(name, listOf(field, rows.with(at, { ...good, [key]: value })));
          const found = rowsIn(output, field);
          const isLeftOut = found.length < count;
          expect(isLeftOut ? found : found.toSpliced(at, 1)).toEqual(rows.toSpliced(at, 1));
          if (isLeftOut) expectNamed(warnings, "row left out");
          else expectOnlyField(found[at] ?? {}, { ...good, [key]: value }, key, warnings);
        },
      );
      await fc.assert(property);
    },
  );

  it.each<[string, OperationName, (row: Row) => unknown, Row | undefined, string]>([
    [
      "a counter above 2^53-1",
      "listFixSessions",
      (row) => ({ ...row, outboundSequence: Number.MAX_SAFE_INTEGER + 1 }),
      { outboundSequence: null },
      "outboundSequence of OE1-1 FIXCLIENT1-1 (null)",
    ],
    [
      "a port as text",
      "listFixSessions",
      (row) => ({ ...row, localPort: "9001" }),
      { localPort: null },
      "localPort of OE1-1 FIXCLIENT1-1 (null)",
    ],
    [
      "a size with an exponent",
      "listPositions",
      (row) => ({ ...row, size: "1e-7" }),
      { size: null },
      "size of Account[GOLD]/Symbol[EUR/USD]-1 (null)",
    ],
    [
      "a key of a position that is a number",
      "listPositions",
      (row) => ({ ...row, account: 7 }),
      { account: undefined },
      "account of Account[GOLD]/Symbol[EUR/USD]-1 (left out)",
    ],
    [
      "an unknown status of a session",
      "listFixSessions",
      (row) => ({ ...row, status: "Halted" }),
      undefined,
      "status of OE1-1 FIXCLIENT1-1 (row left out)",
    ],
    [
      "an unknown type of a gateway",
      "listFixGateways",
      (row) => ({ ...row, gatewayType: "DropCopy" }),
      undefined,
      "gatewayType of OE1-1 (row left out)",
    ],
    [
      "a service that may be enabled or not",
      "listServices",
      (row) => ({ ...row, enabled: "yes" }),
      undefined,
      "enabled of NASDAQ1-1 Connector (row left out)",
    ],
    [
      "a limit with an exponent, which must not become unlimited",
      "getRiskTable",
      (row) => ({ ...row, limits: { MaxOrderSize: "1e6" } }),
      undefined,
      "limits.MaxOrderSize of Account=A1/Symbol=* (row left out)",
    ],
    ["a row that is null", "listFixSessions", () => null, undefined, "a row (row left out)"],
    [
      "a name that is not a header",
      "listFixSessions",
      (row) => ({ ...row, sessionId: "Größe\r\nX: 1", remotePort: -0.5 }),
      { sessionId: "Größe\r\nX: 1", remotePort: null },
      "remotePort of OE1-1 Gr\\u00f6\\u00dfe\\u000d\\u000aX: 1 (null)",
    ],
  ])("%s is named, and the others are shown", async (_what, name, change, instead, words) => {
    const field = LISTS.find(([list]) => list === name)?.[1];
    const rows = [0, 1, 2].map((number) => rowOf(name, field, number));
    const [first, bad, last] = rows as [Row, Row, Row];
    const { output, warnings, events } = await shown(name, listOf(field, [first, change(bad), last]));
    expect(rowsIn(output, field)).toEqual(instead ? [first, { ...bad, ...instead }, last] : [first, last]);
    const message = `The engine's reply breaks the contract: ${words}`;
    expect(warnings).toEqual([message]);
    expect(events).toEqual([{ operation: name, requestId: expect.any(String), count: 1, message }]);
  });

  it("a long list in which every row, or a whole part, is faulty is shown as far as it goes, and the warning stays short", async () => {
    const good = Array.from({ length: 900 }, (_, number) => rowOf("listFixSessions", undefined, number));
    const { output, warnings } = await shown("listFixSessions", [
      ...good.map(() => null),
      ...good,
      ...good.map(() => 7),
    ]);
    expect(output).toEqual(good);
    expect(warnings.join()).toMatch(/and 1795 more$/);
    const without = await shown(
      "listFixSessions",
      good.map((row) => ({ ...row, status: 1 })),
    );
    expect(without.output).toEqual([]);
    expect(without.events.map(({ count }) => count)).toEqual([900]);
    expect(without.warnings.join().length).toBeLessThan(500);
  });

  it.each<[OperationName, Row, Row, string]>([
    ["getTradingStatus", { reason: 7 }, { reason: null }, "reason (null)"],
    ["getService", { status: "Lost" }, { status: null }, "status (null)"],
    ["getFixGateway", { bytesSent: 2 ** 60 }, { bytesSent: null }, "bytesSent (null)"],
    ["getFixSession", { connectTimestamp: "now" }, { connectTimestamp: null }, "connectTimestamp (null)"],
  ])("%s is shown with what is right in it", async (name, faulty, instead, words) => {
    const { output } = exampleOf(name);
    const found = await shown(name, { ...(output as Row), ...faulty });
    expect(found.output).toEqual({ ...(output as Row), ...instead });
    expect(found.warnings).toEqual([`The engine's reply breaks the contract: ${words}`]);
  });

  it.each<[OperationName, unknown]>([
    ["getTradingStatus", { projectionPath: "", reason: null }],
    ["getTradingStatus", { projectionPath: "", halted: "no", reason: null }],
    ["getTradingStatus", { projectionPath: "", halted: null, reason: null }],
    ["getService", { ...(exampleOf("getService").output as Row), enabled: null }],
    ["getFixSession", { ...(exampleOf("getFixSession").output as Row), status: "DISABLED" }],
    ["listServices", { services: [] }],
    ["getRiskTable", { projection: "", rows: null }],
  ])("%s: what safety depends on is never made up", async (name, reply) => {
    const rig = await replying(name, reply);
    const calling = rig.api.call(name, exampleOf(name).input as never, chief);
    await expect(calling).rejects.toMatchObject({ code: "ENGINE_FAILED", status: 500 });
  });

  it.each(READS)(
    "%s: fields that the contract does not have, and objects of another kind, are not faults",
    async (name) => {
      const { output } = exampleOf(name);
      const extended = (value: unknown): unknown =>
        Array.isArray(value) ? value.map(extended) : Object.assign(Object.create(null), value, { desk: "A" });
      expect(await shown(name, extended(output))).toEqual({ output, warnings: [], events: [] });
    },
  );
});

describe("D-VAL 12: replies to commands", () => {
  const session = exampleOf("disableFixSession");

  it("a stop whose reply has a bad counter is applied, with a warning, and recorded as that", async () => {
    const reply = { ...(session.output as Row), status: "Disabled", messagesSent: 2 ** 53 };
    const rig = await replying("disableFixSession", reply);
    const warnings: string[] = [];
    const disabled = await rig
      .as("chief", { onWarning: (message) => warnings.push(message) })
      .disableFixSession(session.input as never);
    expect(disabled).toMatchObject({ status: "Disabled", messagesSent: null });
    expect(warnings).toEqual([expect.stringContaining("messagesSent (null)")]);
    expect(rig.audit.stages).toEqual(["intent", "applied"]);
    expect(rig.audit.records.at(-1)).toMatchObject({ message: warnings[0] });
  });

  it.each<[OperationName, unknown]>([
    ["disableFixSession", { ...(session.output as Row), status: "OFF" }],
    ["disableFixSession", null],
    ["haltTrading", false],
    ["haltTrading", {}],
    ["disableService", "done"],
  ])("%s: a reply that does not say what it has to leaves the outcome unknown", async (name, reply) => {
    const rig = await replying(name, reply);
    const calling = rig.api.call(name, exampleOf(name).input as never, chief);
    await expect(calling).rejects.toMatchObject({ code: "ENGINE_FAILED", outcome: "unknown" });
    expect(rig.audit.stages).toEqual(["intent", "unknown"]);
  });

  it("rows that the reply to a risk update lacks are not recorded as gone", async () => {
    const { input, output } = exampleOf("updateRiskTable") as { input: unknown; output: { rows: readonly Row[] } };
    const rig = await replying("updateRiskTable", { ...output, rows: [...output.rows, { conditions: 7 }] });
    await expect(rig.as("chief").updateRiskTable(input as never)).resolves.toEqual(output);
    const record = rig.audit.records.at(-1);
    expect(record).toMatchObject({ stage: "applied", message: expect.stringContaining("row left out") });
    expect(record?.after).toBeUndefined();
  });

  it("a policy decides nothing by a part of a table", async () => {
    const table = {
      projection: "Account/Symbol",
      rows: [{ conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "1e6" } }],
    };
    const rig = await replying("getRiskTable", table, { authorize: stopOnly() });
    const { input } = exampleOf("updateRiskTable");
    await expect(rig.as("chief").updateRiskTable(input as never)).rejects.toMatchObject({ code: "POLICY_FAILED" });
  });
});
