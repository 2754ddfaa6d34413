import { describe, expect } from "vitest";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { Answer, World } from "../support/world.ts";
import { verdict } from "./support/orders.ts";
import { expectEndpoint, expectError, expectOk, ok } from "./support/responses.ts";

interface Table {
  readonly projection: string;
  readonly rows: readonly { readonly conditions: Record<string, string>; readonly limits: Record<string, unknown> }[];
}

const ROOT_ROW = { conditions: {}, limits: { MaxOrderNotional: "500000000", MaxOpenOrdersCount: "200" } };
const ANY_SOURCE = { conditions: { Source: "*" }, limits: { MaxOrderSize: "1000000", MaxOpenOrdersCount: "40" } };
const WEBDESK = { conditions: { Source: "WEBDESK" }, limits: { MaxOrderSize: "500000", MaxOpenOrdersCount: "30" } };
const SOURCE_TABLE = { projection: "Source", rows: [ANY_SOURCE, WEBDESK] };

function update(world: World, projection: string, ...commands: readonly Record<string, unknown>[]): Promise<Answer> {
  return world.call("updateRiskTable", { projection, commands });
}

function table(world: World, projection: string): Promise<Table> {
  return ok(world.call("getRiskTable", { projection }));
}

describe("risk table", () => {
  verifies("RISK-TABLE-PROJECTION", async (world) => {
    for (const projection of ["", "Source", "Account/Symbol"]) {
      expect((await table(world, projection)).projection).toBe(projection);
    }
  });

  verifies("RISK-TABLE-ROWS", async (world) => {
    expectOk(await world.call("getRiskTable", { projection: "Source" }), SOURCE_TABLE);
    expect((await table(world, "Account/Symbol")).rows).toHaveLength(4);
    expect((await table(world, "Trader/Symbol")).rows).toHaveLength(2);
  });

  verifies("RISK-TABLE-CONDITIONS", async (world) => {
    expect((await table(world, "")).rows.map(({ conditions }) => conditions)).toEqual([{}]);
    expect((await table(world, "Trader/Symbol")).rows.map(({ conditions }) => conditions)).toEqual([
      { Trader: "*", Symbol: "*" },
      { Trader: "ckhan", Symbol: "ESZ26" },
    ]);
  });

  verifies("RISK-TABLE-LIMITS", async (world) => {
    const limits = (await table(world, "Account")).rows.map((row) => row.limits);
    expect(limits).toEqual([
      { MaxOrderNotional: "50000000", MaxOpenOrdersCount: null },
      { MaxOrderNotional: "20000000", MaxOpenOrdersCount: "15" },
    ]);
    const any = { type: "UPDATE", conditions: { Account: "*" } };
    await update(world, "Account", { ...any, limits: { MaxOrderNotional: "19024.99" } });
    expect(verdict(world)).toContain("19025 exceeds MaxOrderNotional 19024.99");
    await update(world, "Account", { ...any, limits: { MaxOrderNotional: null } });
    expect(verdict(world)).toBe("accepted");
  });

  verifies("RISK-TABLE-LIMIT-NAMES", async (world) => {
    const any = { type: "UPDATE", conditions: { Source: "*" } };
    await update(world, "Source", { ...any, limits: { MaxOrderSize: "100" } });
    expect(verdict(world)).toBe("accepted");
    expect(verdict(world, { size: "101" })).toContain("order size 101 exceeds MaxOrderSize 100");
    await update(world, "", { type: "UPDATE", conditions: {}, limits: { MaxOrderNotional: "19025" } });
    expect(verdict(world)).toBe("accepted");
    expect(verdict(world, { price: "190.26" })).toContain("order notional 19026 exceeds MaxOrderNotional 19025");
  });
});

describe("risk command", () => {
  verifies("RISK-COMMAND-TYPE", async (world) => {
    const row = { conditions: { Source: "ALGODESK" } };
    const limits = (size: string) => ({ MaxOrderSize: size, MaxOpenOrdersCount: null });
    expectOk(await update(world, "Source", { ...row, type: "INSERT", limits: { MaxOrderSize: "5" } }), {
      projection: "Source",
      rows: [ANY_SOURCE, WEBDESK, { ...row, limits: limits("5") }],
    });
    expectOk(await update(world, "Source", { ...row, type: "UPDATE", limits: { MaxOrderSize: "6" } }), {
      projection: "Source",
      rows: [ANY_SOURCE, WEBDESK, { ...row, limits: limits("6") }],
    });
    expectOk(await update(world, "Source", { ...row, type: "DELETE" }), SOURCE_TABLE);
    const oneOf = "commands[0].type: must be one of INSERT, UPDATE, DELETE";
    expectError(await update(world, "Source", row), 400, "commands[0].type: is required");
    expectError(await update(world, "Source", { ...row, type: "UPSERT" }), 400, oneOf);
    expectError(await update(world, "Source", { ...row, type: "insert" }), 400, oneOf);
  });

  verifies("RISK-COMMAND-CONDITIONS", async (world) => {
    const limits = { MaxOrderSize: "7" };
    expectOk(await update(world, "Source", { type: "UPDATE", conditions: { Source: "WEBDESK" }, limits }), {
      projection: "Source",
      rows: [ANY_SOURCE, { ...WEBDESK, limits: { MaxOrderSize: "7", MaxOpenOrdersCount: "30" } }],
    });
    expectError(await update(world, "Source", { type: "UPDATE", limits }), 400, "commands[0].conditions: is required");
    const number = await update(world, "Source", { type: "UPDATE", conditions: { Source: 7 }, limits });
    expectError(number, 400, "commands[0].conditions.Source: must be a string");
    const text = await update(world, "Source", { type: "UPDATE", conditions: "Source", limits });
    expectError(text, 400, "commands[0].conditions: must be an object of strings");
  });

  verifies("RISK-COMMAND-KEY-ORDER", async (world) => {
    const command = { type: "INSERT", conditions: { Symbol: "SAP", Account: "GOLD" } };
    expect((await update(world, "Account/Symbol", command)).body).toContain('{"Account":"GOLD","Symbol":"SAP"}');
    expect(JSON.stringify(world.gate.seen.at(-1)?.input)).toContain('{"Account":"GOLD","Symbol":"SAP"}');
    const unknown = await update(world, "Source", { type: "INSERT", conditions: { Source: "*", Colour: "red" } });
    expectError(unknown, 400, 'commands[0].conditions: unknown projection key "Colour"');
    const foreign = await update(world, "Source", { type: "INSERT", conditions: { Source: "*", Symbol: "SAP" } });
    expectError(foreign, 400, 'commands[0].conditions: projection key "Symbol" is not part of the projection');
    const missing = await update(world, "Account/Symbol", { type: "INSERT", conditions: { Account: "GOLD" } });
    expectError(missing, 400, 'commands[0].conditions: projection key "Symbol" is missing');
  });

  verifies("RISK-COMMAND-WILDCARD", async (world) => {
    const limits = { MaxOrderSize: "99" };
    await update(world, "Account/Symbol", { type: "INSERT", conditions: { Account: "GOLD", Symbol: "*" }, limits });
    for (const symbol of ["AAPL", "MSFT", "SAP"]) {
      expect(verdict(world, { symbol })).toContain("order size 100 exceeds MaxOrderSize 99");
    }
    expect(verdict(world, { attributes: { Account: "SILVER" } })).toBe("accepted");
  });

  verifies("RISK-COMMAND-LIMITS", async (world) => {
    const conditions = { Source: "ALGODESK" };
    const none = { MaxOrderSize: null, MaxOpenOrdersCount: null };
    expectOk(await update(world, "Source", { type: "INSERT", conditions }), {
      projection: "Source",
      rows: [ANY_SOURCE, WEBDESK, { conditions, limits: none }],
    });
    expectOk(await update(world, "Source", { type: "UPDATE", conditions, limits: { MaxOrderSize: "12.50" } }), {
      projection: "Source",
      rows: [ANY_SOURCE, WEBDESK, { conditions, limits: { ...none, MaxOrderSize: "12.50" } }],
    });
    const text = await update(world, "Source", { type: "UPDATE", conditions, limits: "12.50" });
    expectError(text, 400, "commands[0].limits: must be an object of decimal strings");
  });

  verifies("RISK-COMMAND-DELETE-LIMITS", async (world) => {
    const limits = { MaxOrderSize: "1", NoSuchLimit: "2" };
    const deletion = await update(world, "Source", { type: "DELETE", conditions: { Source: "WEBDESK" }, limits });
    expectOk(deletion, { projection: "Source", rows: [ANY_SOURCE] });
  });
});

describe("GET /risk/table", () => {
  verifiesHttp("RISK-READ-ENDPOINT", async (world) => {
    expectOk(await expectEndpoint(world, "getRiskTable"), { projection: "", rows: [ROOT_ROW] });
  });

  verifiesHttp("RISK-READ-PROJECTION", async (world) => {
    expectOk(await world.http({ path: "/risk/table?projection=Source" }), SOURCE_TABLE);
    expectOk(await world.http({ path: "/risk/table?projection=" }), { projection: "", rows: [ROOT_ROW] });
    expectOk(await world.http({ path: "/risk/table" }), { projection: "", rows: [ROOT_ROW] });
  });

  verifies("RISK-READ-ANSWER", async (world) => {
    expect((await world.call("getRiskTable")).body).toBe(JSON.stringify({ projection: "", rows: [ROOT_ROW] }));
  });
});

describe("POST /risk/update", () => {
  const command = { type: "UPDATE", conditions: {}, limits: { MaxOpenOrdersCount: "5" } };
  const updated = {
    projection: "",
    rows: [{ conditions: {}, limits: { MaxOrderNotional: "500000000", MaxOpenOrdersCount: "5" } }],
  };

  verifiesHttp("RISK-UPDATE-ENDPOINT", async (world) => {
    const rows = [{ ...ANY_SOURCE, limits: { MaxOrderSize: "999999", MaxOpenOrdersCount: "40" } }, WEBDESK];
    expectOk(await expectEndpoint(world, "updateRiskTable"), { projection: "Source", rows });
  });

  verifies("RISK-UPDATE-PROJECTION", async (world) => {
    const commands = [command];
    expectError(await world.call("updateRiskTable", { commands }), 400, "projection: is required");
    expectError(
      await world.call("updateRiskTable", { projection: null, commands }),
      400,
      "projection: must be a string",
    );
    expectOk(await world.call("updateRiskTable", { projection: "", commands }), updated);
  });

  verifies("RISK-UPDATE-COMMANDS", async (world) => {
    const refused = (commands: unknown) => world.call("updateRiskTable", { projection: "", commands });
    expectError(await world.call("updateRiskTable", { projection: "" }), 400, "commands: is required");
    expectError(await refused(command), 400, "commands: must be an array of commands");
    expectError(await refused([]), 400, "commands: must hold at least one command");
    expect(world.gate.seen).toEqual([]);
    expectOk(await refused([command]), updated);
  });

  verifies("RISK-UPDATE-ANSWER", async (world) => {
    const answer = await update(world, "", command);
    expectOk(answer, updated);
    expect(await world.call("getRiskTable")).toEqual(answer);
  });

  verifies("RISK-UPDATE-REJECTED", async (world) => {
    const good = { type: "DELETE", conditions: { Source: "WEBDESK" } };
    const bad = { type: "INSERT", conditions: { Source: "*" } };
    const reason = "commands[1] (INSERT Source[*]): the row exists already";
    expectError(await update(world, "Source", good, bad), 400, reason);
    expectOk(await world.call("getRiskTable", { projection: "Source" }), SOURCE_TABLE);
    expect(world.audit.stages).toEqual(["intent", "rejected"]);
  });
});
