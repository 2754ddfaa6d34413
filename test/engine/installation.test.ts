import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Installation,
  InstallationError,
  loadInstallation,
  parseInstallation,
} from "../../src/engine/simulated/installation.ts";
import { unknownKey } from "../support/unknown-key.ts";
import { thrown } from "./fixture.ts";

const SAMPLE = join(import.meta.dirname, "../../examples/demo/installation.yaml");

/** Lines of the message with which a document is refused. */
function faults(yamlText: string): string[] {
  const error = thrown(() => parseInstallation(yamlText, "ember.yaml"));
  expect(error).toBeInstanceOf(InstallationError);
  return (error as Error).message.split("\n");
}

function table(projection: string, body: string): string {
  return `risk:\n  tables:\n    ${projection}:\n${body.replace(/^/gm, "      ")}`;
}

describe("installation document", () => {
  test("the sample is valid and holds one of everything", async () => {
    const sample = await loadInstallation(SAMPLE);
    expect(Object.keys(sample.instruments)).toContain("EUR/USD");
    expect(Object.keys(sample.risk.tables)).toEqual(["", "Source", "Account", "Account/Symbol", "Trader/Symbol"]);
    const gateways = Object.values(sample.gateways);
    expect(new Set(gateways.map(({ type }) => type)).size).toBe(4);
    expect(gateways.flatMap(({ sessions }) => sessions).some(({ id }) => /[/ ]/.test(id))).toBe(true);
    const statuses = Object.values(sample.connectors).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(["Connected", "Disconnected"]));
    expect(Object.values(sample.algorithms).some(({ system }) => system)).toBe(true);
  });

  test("an empty document is an installation of defaults", () => {
    expect(parseInstallation("", "x")).toEqual({
      seed: 1,
      activity: "on",
      "tick-interval": 250,
      "control-delay": 5,
      "max-working-orders": 250,
      "kept-trades": 1000,
      "commission-rate": "0",
      "projection-keys": [],
      instruments: {},
      sources: [],
      accounts: [],
      traders: {},
      risk: { "reject-unmatched-orders": true, tables: {} },
      positions: { projections: [] },
      connectors: {},
      algorithms: {},
      gateways: {},
    } satisfies Installation);
  });

  test("unquoted decimals keep all their digits, numeric names stay names", () => {
    const { instruments, accounts } = parseInstallation(
      "accounts: [0123]\ninstruments:\n  600519: { exchange: SSE, currency: CNY, price: 1712.100000000000000000010 }",
      "x",
    );
    expect(instruments["600519"]?.price).toBe("1712.100000000000000000010");
    expect(accounts).toEqual(["0123"]);
  });

  test.each([
    ["0ms", 0],
    ["250ms", 250],
    ["2s", 2000],
  ])("control-delay %s is %i ms", (text, ms) => {
    expect(parseInstallation(`control-delay: ${text}`, "x")["control-delay"]).toBe(ms);
  });

  test("faults of syntax name file and line", () => {
    expect(faults("seed: 1\nseed: 2\n")).toEqual(["ember.yaml:2: Map keys must be unique"]);
    expect(faults("a: [1\nb: }")[0]).toMatch(/^ember\.yaml:2: /);
  });

  test("all faults come in one message, in the order of their lines, unknown keys with the nearest known one", () => {
    expect(
      faults(
        [
          "sead: 7",
          "activity: sometimes",
          "tick-interval: 0ms",
          "instruments:",
          "  AAPL:",
          "    exchange: nasdaq",
          "    currency: USD",
          "    price: -1",
          "    tick-sise: 1",
          "sources: [TOOLONGNAME]",
          "connectors:",
          "  sim: {}",
          "gateways:",
          "  G:",
          "    type: Other",
          "    local-ip: 10.0.0.1",
          "    sessions:",
          "      - { id: A, sender: B, remote-ip: C }",
        ].join("\n"),
      ),
    ).toEqual([
      'ember.yaml:1: sead: unknown key; the nearest known key is "seed"',
      "ember.yaml:2: activity: must be on or off",
      "ember.yaml:3: tick-interval: must be longer than 0ms",
      "ember.yaml:6: instruments.AAPL.exchange: must be 1 to 10 upper-case letters and digits",
      "ember.yaml:8: instruments.AAPL.price: must be greater than zero",
      'ember.yaml:9: instruments.AAPL.tick-sise: unknown key; the nearest known key is "tick-size"',
      "ember.yaml:10: sources[0]: must be 1 to 10 upper-case letters and digits",
      "ember.yaml:12: connectors.sim: must be 1 to 10 upper-case letters and digits",
      expect.stringMatching(/^ember\.yaml:15: gateways\.G\.type: .*TradeConnector/),
      "ember.yaml:18: gateways.G.sessions[0].target: is required",
    ]);
  });

  test.each([
    ["seed: -1", "1: seed: must be an integer from 0 to 2147483647"],
    ["control-delay: 5", "1: control-delay: must be a duration such as 250ms or 2s"],
    ["commission-rate: -0.1", "1: commission-rate: must not be negative"],
    ["projection-keys: [desk]", "1: projection-keys[0]: must begin with an upper-case letter"],
    ['accounts: ["a]/b"]', '1: accounts[0]: must not hold "]/"'],
    ["accounts: GOLD", "1: accounts: must be a list"],
    ["instruments: AAPL", "1: instruments: must be a map"],
    ["connectors: { A: { status: Up } }", "1: connectors.A.status: must be Connected or Disconnected"],
    ["connectors: { A: { dma: maybe } }", "1: connectors.A.dma: must be true or false"],
    ["connectors: { A: {} }\nalgorithms: { A: {} }", "2: algorithms.A: is the name of a connector"],
    [
      "positions: { projections: [Account] }",
      "1: positions.projections[0]: must hold Symbol or RootSymbol or Currency",
    ],
    ["positions: { projections: [Acount/Symbol] }", `1: positions.projections[0]: ${unknownKey("Acount")}`],
    [
      "positions:\n  projections:\n    - Account/Symbol\n    - Symbol/Account",
      "4: positions.projections[1]: names the same keys as another projection",
    ],
    [
      "gateways: { G: { type: RFQ, local-ip: A, sessions: [&s { id: X, sender: A, target: B, remote-ip: C }, *s] } }",
      "1: gateways.G.sessions[1].id: is the id of another session of this gateway",
    ],
  ])("%s is refused", (yamlText, fault) => {
    expect(faults(yamlText)).toEqual([`ember.yaml:${fault}`]);
  });

  test.each([
    ["Acount", "limits: [MaxOrderSize]", `3: risk.tables.Acount: ${unknownKey("Acount")}`],
    [
      "Account",
      "limits: [MaxLoss]",
      "4: risk.tables.Account.limits[0]: the simulated engine enforces only MaxOrderSize, MaxOrderNotional, MaxPositionLong, MaxPositionShort, MaxOpenOrdersCount",
    ],
    [
      "Account",
      "limits: [MaxPositionLong]",
      "4: risk.tables.Account.limits[0]: MaxPositionLong needs a table whose projection holds Symbol or RootSymbol or Currency",
    ],
    ["Account", "limits: [MaxOrderSize, MaxOrderSize]", "4: risk.tables.Account.limits[1]: is given twice"],
    ["Account", "limits: []", "4: risk.tables.Account.limits: must name at least one limit"],
    [
      "Account",
      "limits: [MaxOrderSize]\nrows:\n  - conditions: { Trader: x }",
      [
        "6: risk.tables.Account.rows[0].conditions.Trader: is not a key of the table's projection",
        "6: risk.tables.Account.rows[0].conditions: Account is missing",
      ],
    ],
    [
      '"Account/Symbol"',
      'limits: [MaxOrderSize]\nrows:\n  - conditions: { Account: "*", Symbol: "*" }\n    limits: { MaxOrderNotional: 1, MaxOrderSize: many }',
      /^7: risk\.tables\["Account\/Symbol"\]\.rows\[0\]\.limits\.MaxOrderSize: must be a decimal string/,
    ],
    [
      '""',
      "limits: [MaxOrderSize]\nrows:\n  - limits: { MaxOrderNotional: 1 }\n  - {}",
      [
        '6: risk.tables[""].rows[0].limits.MaxOrderNotional: is not among the limits of the table',
        '7: risk.tables[""].rows[1]: has the conditions of another row',
      ],
    ],
  ])("risk table %s with %j is refused", (projection, body, expected) => {
    const found = faults(table(projection, body)).map((line) => line.replace("ember.yaml:", ""));
    if (expected instanceof RegExp) expect(found).toEqual([expect.stringMatching(expected)]);
    else expect(found.toSorted()).toEqual([expected].flat());
  });

  test("two tables over the same keys are refused", () => {
    const yamlText = `${table("Account/Symbol", "limits: [MaxOrderSize]")}\n    Symbol/Account: { limits: [MaxOrderSize] }`;
    expect(faults(yamlText)).toEqual([
      'ember.yaml:5: risk.tables["Symbol/Account"]: names the same keys as another table',
    ]);
  });

  test("a file that cannot be read is an installation error with its cause", async () => {
    const error: unknown = await loadInstallation("/nowhere/installation.yaml").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InstallationError);
    expect((error as Error).message).toMatch(/^\/nowhere\/installation\.yaml: cannot be read: ENOENT/);
    expect((error as Error).cause).toHaveProperty("code", "ENOENT");
  });
});
