import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { commandWords } from "../../src/core/operations/command-words.ts";
import type { Input } from "../../src/core/operations/table.ts";
import type { OpenApiDocument } from "../../src/openapi/open-api.ts";
import { callCommand, curlCommand } from "../../src/openapi/page/browser/commands.ts";
import {
  effectOf,
  type PageDocument,
  type PageRequest,
  requestedOperation,
} from "../../src/openapi/page/browser/page-document.ts";
import { shownLimits } from "../../src/openapi/page/browser/shown-limits.ts";
import { committedDocument } from "../openapi/committed.ts";

const run = promisify(execFile);

/** What the page reads of the document is there. */
const document = committedDocument() satisfies OpenApiDocument as OpenApiDocument & PageDocument;
const BASE = "https://monitor:8988/ops/api/admin/v1";

/** The words that a shell makes of a command. */
async function wordsOf(command: string): Promise<string[]> {
  const script = `for word in "$@"; do printf '%s\\0' "$word"; done`;
  const environment = { ...process.env, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_TOKEN: "a.b.c" };
  const { stdout } = await run("sh", ["-c", `set -- ${command}\n${script}`], { env: environment });
  return stdout.split("\0").slice(0, -1);
}

function post(path: string, body?: string): PageRequest {
  return {
    url: `${BASE}${path}`,
    method: "POST",
    headers: { accept: "*/*", "Content-Type": "application/json" },
    body,
  };
}

const NASTY = `it's "$HOME" \`id\` \\ \n !x; é`;

describe("the commands to copy of the interactive page", () => {
  it("find every operation of the document by a request for it", () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        const url = `${BASE}${path.replaceAll(/\{(\w+)\}/g, "a%2Fb%20$1")}`;
        const asked = requestedOperation(document, { url, method, headers: {} });
        const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, field = ""]) => [field, `a/b ${field}`]);
        expect(asked).toMatchObject({ operation: { operationId }, input: Object.fromEntries(fields) });
      }
    }
    expect(requestedOperation(document, { url: "https://monitor:8988/v3/api-docs", method: "GET", headers: {} })).toBe(
      undefined,
    );
  });

  it("give curl method, headers and body unchanged, and leave the password to its prompt", async () => {
    const body = JSON.stringify({ reason: NASTY });
    expect(await wordsOf(curlCommand(post("/trading/halt", body), "basic"))).toEqual([
      "curl",
      "--fail-with-body",
      "--user",
      "desk",
      "--request",
      "POST",
      "--header",
      "Content-Type: application/json",
      "--data-raw",
      body,
      `${BASE}/trading/halt`,
    ]);
  });

  it("use GET for a read, and do not contain a token", async () => {
    const read = {
      url: `${BASE}/trading/status?projectionPath=Trader%5BA%5D`,
      method: "GET",
      headers: { Authorization: "x" },
    };
    const command = curlCommand(read, "bearer");
    expect(await wordsOf(command)).toEqual(["curl", "--fail-with-body", "--oauth2-bearer", "a.b.c", read.url]);
    expect(command).toContain("$TRADING_ADMIN_TOKEN");
  });

  it("give trading-admin the flat input of the operation, and the address that the API is mounted below", async () => {
    const request = post("/services/A%2FB/disable", undefined);
    const asked = requestedOperation(document, request);
    expect(asked && (await wordsOf(callCommand(asked, request, "/api/admin/v1")))).toEqual([
      "trading-admin",
      "call",
      "disableService",
      "--url",
      "https://monitor:8988/ops",
      '{"name":"A/B"}',
    ]);
    const query = { url: `${BASE}/risk/table?projection=Trader`, method: "GET", headers: {} };
    const table = requestedOperation(document, query);
    expect(table?.input).toEqual({ projection: "Trader" });
  });
});

describe("the dialog before a command is sent", () => {
  const limits = (changed: Record<string, string | null>, type = "UPDATE"): Record<string, unknown> => {
    const command = { type, conditions: { Account: "*", Symbol: "EUR/USD" }, limits: changed };
    return { projection: "Account/Symbol", commands: [command] };
  };

  const effect = (operationId: string, input: Record<string, unknown>): string => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const operation = operations.find((found) => found.operationId === operationId);
    if (!operation) throw new Error(`the document has no ${operationId}`);
    return effectOf({ operation, input });
  };

  it.each([
    ["haltTrading", {}, "HALT ALL TRADING"],
    ["haltTrading", { projectionPath: "" }, "HALT ALL TRADING"],
    ["haltTrading", { projectionPath: null, cancelOrders: true }, "HALT ALL TRADING and cancel all working orders"],
    ["haltTrading", { projectionPath: "Account[GOLD]", cancelOrders: true }, "Halt Account[GOLD]"],
    ["resumeTrading", {}, "RESUME ALL TRADING"],
    ["resumeTrading", { projectionPath: "Account[GOLD]" }, "Resume Account[GOLD]"],
    ["disableService", { name: "TWAP" }, "Disable TWAP"],
    ["disconnectFixSession", { gateway: "OE1", session: "A" }, "Disconnect A of OE1"],
    [
      "adjustPosition",
      { projectionPath: "Account[A]/Symbol[B]", size: "-1", relative: true },
      "Add -1 to the position Account[A]/Symbol[B]",
    ],
    ["updateRiskTable", { projection: "", commands: [{}] }, "Change the risk table of the root, 1 command"],
    ["updateRiskTable", limits({ MaxOrderSize: "100000" }), "Set MaxOrderSize of Account=* Symbol=EUR/USD to 100,000"],
    [
      "updateRiskTable",
      limits({ MaxOrderSize: null }, "INSERT"),
      "Set MaxOrderSize of Account=* Symbol=EUR/USD to unlimited, a new row",
    ],
    ["updateRiskTable", limits({}, "DELETE"), "Delete the row Account=* Symbol=EUR/USD"],
    [
      "updateRiskTable",
      limits({ MaxOrderSize: "1", MaxPositionLong: "2" }),
      "Change the risk table Account/Symbol, 1 command",
    ],
  ])("says of %s %j: %s", (operationId, input, words) => {
    expect(effect(operationId, input)).toBe(words);
  });

  it.each([
    ["disableFixSession", {}, /Its working orders stay in the market\.$/],
    ["disconnectFixSession", {}, /Its working orders stay in the market\.$/],
    ["disableService", {}, /Its working orders are not cancelled\.$/],
    ["haltTrading", {}, /^Every order of the installation .* Working orders stay in the market\.$/],
    [
      "haltTrading",
      { cancelOrders: true },
      /requests the cancellation .* a venue may confirm it late, or not at all\.$/,
    ],
    [
      "haltTrading",
      { projectionPath: "A[b]", cancelOrders: true },
      /this node .* stay in the market: only a halt of everything/,
    ],
  ])("D-PAGE 10: says what %s %j leaves as it is", (operation, input, words) => {
    expect(commandWords(operation)?.consequence?.(input)).toMatch(words);
  });

  it("has words of its own for every command of the document", () => {
    for (const methods of Object.values(document.paths)) {
      for (const { operationId, summary, "x-lane": lane } of Object.values(methods)) {
        if (lane !== "read") expect(effect(operationId, { projectionPath: "A[b]" }), operationId).not.toBe(summary);
      }
    }
  });
});

type Commands = Input<"updateRiskTable">["commands"];

const PENSION = { Account: "PENSION", Symbol: "AAPL" };
const rows = [
  { conditions: { Symbol: "AAPL", Account: "PENSION" }, limits: { MaxOrderSize: "1000.0", MaxPositionShort: null } },
];

function shown(commands: Commands): string | undefined {
  return shownLimits({ projection: "Account/Symbol", commands }, { projection: "Account/Symbol", rows });
}

function row(symbol: string): Commands[number] {
  return { type: "DELETE", conditions: { Account: "GOLD", Symbol: symbol } };
}

describe("the proof of an update in the table that it returns", () => {
  it.each<[string, Commands, string]>([
    [
      "a limit whose digits the engine writes differently",
      [{ type: "UPDATE", conditions: PENSION, limits: { MaxOrderSize: "1000", MaxPositionShort: null } }],
      "Account=PENSION Symbol=AAPL: MaxOrderSize is 1,000, MaxPositionShort is unlimited",
    ],
    [
      "the last of two commands for a row",
      [
        { type: "DELETE", conditions: PENSION },
        { type: "INSERT", conditions: PENSION, limits: { MaxOrderSize: "1000" } },
      ],
      "Account=PENSION Symbol=AAPL: MaxOrderSize is 1,000",
    ],
    ["a row that is deleted", [row("AAPL")], "Account=GOLD Symbol=AAPL is deleted"],
    [
      "three rows of many",
      ["A", "B", "C", "D", "E"].map(row),
      "Account=GOLD Symbol=A is deleted; Account=GOLD Symbol=B is deleted; Account=GOLD Symbol=C is deleted; and 2 more rows",
    ],
  ])("is there for %s", (_, commands, words) => {
    expect(shown(commands)).toBe(words);
  });

  it.each<[string, Commands]>([
    ["another value", [{ type: "UPDATE", conditions: PENSION, limits: { MaxOrderSize: "999" } }]],
    ["a limit where it should be unlimited", [{ type: "UPDATE", conditions: PENSION, limits: { MaxOrderSize: null } }]],
    ["a row that should be deleted", [{ type: "DELETE", conditions: PENSION }]],
    ["not the row", [{ type: "UPDATE", conditions: { Account: "GOLD", Symbol: "AAPL" }, limits: {} }]],
    ["one of two rows alone", [row("AAPL"), { type: "DELETE", conditions: PENSION }]],
  ])("is not there where the table shows %s", (_, commands) => {
    expect(shown(commands)).toBeUndefined();
  });
});
