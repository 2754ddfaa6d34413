import { afterEach, expect, test } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { logEvents } from "../../src/core/log-events.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { until } from "../support/until.ts";
import { Events } from "./support/link.ts";
import { OpenedWebSockets } from "./support/websocket-link.ts";
import { openScriptedEngine } from "./support/websocket-peers.ts";

const opened = new OpenedWebSockets();
afterEach(() => opened.close());

const chief = principal("chief", PERMISSIONS);
const HALTED = { projectionPath: "", halted: true, reason: "x" };

/** An API whose engine replies what the test says, its audit records, and the lines of its log with their levels. */
async function bench(stopCheck = false) {
  const engine = opened.add(await openScriptedEngine(), (it) => it.close());
  const events = new Events();
  const transport = await opened.connected({ url: engine.url, onEvent: events.onEvent });
  const records: AuditRecord[] = [];
  const audit = { write: (record: AuditRecord) => void records.push(record) };
  const api = opened.add(new AdminApi({ transport, audit, stopCheck }), (it) => it.close());
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  opened.add(logEvents(api, { info: at("info"), warn: at("warn"), error: at("error") }), (close) => close());
  await api.start();
  const say = (index: number, reply: object): void =>
    engine.socket.send(JSON.stringify({ jsonrpc: "2.0", id: engine.requests[index]?.id, ...reply }));
  const asked = (method: string): Promise<number> =>
    until(() => engine.requests.findIndex((request) => request.method === method) + 1, `${method} arrives`).then(
      (at) => at - 1,
    );
  return { api, events, records, lines, say, asked };
}

const NOT_POSSIBLE = { error: { code: -32001, message: "not possible now" } };

test("D-LINK 24: a halt that is said to be refused and then to be applied is an error in the log, and a record with the id of the halt", async () => {
  const { api, records, lines, say, asked } = await bench();
  const halt = api.call("haltTrading", {}, chief, { requestId: "r-1" });
  const at = await asked("haltTrading");
  say(at, NOT_POSSIBLE);
  await expect(halt).rejects.toThrow("not possible now");
  say(at, { result: null });
  await until(() => records.at(-1)?.stage === "contradicted", "the contradiction is recorded");
  expect(records.map(({ stage }) => stage)).toEqual(["intent", "rejected", "contradicted"]);
  expect(new Set(records.map(({ id }) => id)).size).toBe(1);
  expect(records.at(-1)).toMatchObject({ operation: "haltTrading", user: "chief", requestId: "r-1" });
  expect(records.at(-1)?.message).toContain("it says applied");
  expect(lines).toEqual([expect.stringMatching(/^error Another reply contradicts/)]);
});

test("D-LINK 24: a read with two different replies is an error in the log, and leaves no record", async () => {
  const { api, records, lines, say, asked } = await bench();
  const read = api.call("getTradingStatus", {}, chief, {});
  const at = await asked("getTradingStatus");
  say(at, { result: { ...HALTED, halted: false, reason: null } });
  expect((await read).halted).toBe(false);
  say(at, { result: HALTED });
  await until(() => lines.length > 0, "the contradiction is logged");
  expect(lines).toEqual([expect.stringMatching(/^error Two replies to one read contradict each other/)]);
  expect(records).toEqual([]);
});

test("D-LINK 24: an equal second reply is neither an error nor a record", async () => {
  const { api, events, records, lines, say, asked } = await bench();
  const halt = api.call("haltTrading", {}, chief, {});
  const at = await asked("haltTrading");
  say(at, { result: null });
  say(at, { result: null });
  await halt;
  await until(() => events.of("problem").length >= 1, "the second reply is told of");
  expect(records.map(({ stage }) => stage)).toEqual(["intent", "applied"]);
  expect(lines).toEqual([]);
});
