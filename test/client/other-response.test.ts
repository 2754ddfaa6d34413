import { describe, expect, it } from "vitest";
import { AppliedError, OutcomeUnknownError, ReadFailedError } from "../../src/client/errors.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";
import { call, clientAt, failureOf } from "./calls.ts";
import { json, ScriptedServer } from "./scripted-server.ts";

const GOLD = { projectionPath: "Account[GOLD]/Symbol[BTC/USD]", halted: true, reason: "drill" };

/** Operations whose response names what it is about, with an input of each and the response to it. */
const NAMING = operationNames.flatMap((name) => {
  const { names, examples, lane } = operationRecord(operations, name);
  const [{ input, output }] = examples;
  return names ? [{ name, input, output: output as object, isRead: lane === "read", fields: Object.keys(names) }] : [];
});

describe("D-CLI 32: a response about something other than what was asked for is the response to another request", () => {
  it("which all operations find whose response names something", () => {
    expect(NAMING.map(({ name }) => name)).toEqual([
      ...["getTradingStatus", "getRiskTable", "updateRiskTable", "getService"],
      ...["getFixGateway", "listFixSessions", "getFixSession"],
      ...["disableFixSession", "enableFixSession", "disconnectFixSession"],
    ]);
  });

  it.each(NAMING)("$name", async ({ name, input, output, isRead, fields }) => {
    let headers = {};
    const server = await ScriptedServer.start((response) => json(response, 200, output, headers));
    const client = clientAt(server.origin, { retryReads: false });
    expect(await call(client, { name, input })).toEqual(output);
    for (const field of fields) {
      const other = { ...input, [field]: field.startsWith("projection") ? "Account" : "another one" };
      const error = await failureOf(call(client, { name, input: other }));
      expect(error).toBeInstanceOf(isRead ? ReadFailedError : OutcomeUnknownError);
      expect(error.reason).toMatch(/^the response is about \w+ ".*", and not "(Account|another one)"$/);
      headers = { "X-Admin-Outcome": "applied" };
      if (!isRead) expect(await failureOf(call(client, { name, input: other }))).toBeInstanceOf(AppliedError);
      headers = {};
    }
  });

  it("and the segments of a path may come in another order", async () => {
    const server = await ScriptedServer.start((response) => json(response, 200, GOLD));
    const client = clientAt(server.origin, { retryReads: false });
    const projectionPath = "Symbol[BTC/USD]/Account[GOLD]";
    expect(await client.getTradingStatus({ projectionPath })).toEqual(GOLD);
    for (const other of ["", "Account[GOLD]", "Symbol[BTC/USD", "Account[GOLD]/Symbol[USD/BTC]"])
      expect(await failureOf(client.getTradingStatus({ projectionPath: other }))).toBeInstanceOf(ReadFailedError);
  });
});
