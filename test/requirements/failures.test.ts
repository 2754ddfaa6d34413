import { describe, expect } from "vitest";
import { logEvents } from "../../src/core/log-events.ts";
import { verifies, verifiesHttp } from "../support/verifies.ts";
import type { Answer, World } from "../support/world.ts";
import { ENDPOINTS, endpoint, MUTATIONS } from "./support/endpoints.ts";
import {
  callHanging,
  clockIsKnown,
  MESSAGES,
  NARROW_BUS,
  overloadedMessage,
  withFailingEngine,
  withFullBus,
  withoutEngine,
} from "./support/faults.ts";
import { expectError, expectOk, ok, requestFor, settle } from "./support/responses.ts";

/** One error answer of each kind that every way can give. */
async function oneOfEach(world: World): Promise<Answer[]> {
  const answers = [
    await world.call("listPositions"),
    await world.call("haltTrading", {}, "viewer"),
    await world.call("getService", { name: "NOPE" }),
  ];
  const halt = async () => void answers.push(await world.call("haltTrading"));
  await withFullBus(world, halt);
  await withFailingEngine(world, "disk full", halt);
  await withoutEngine(world, halt);
  return [...answers, ...(await callHanging(world, [endpoint("haltTrading")], 10_000))];
}

describe("error bodies", () => {
  verifies(
    "ERR-BODY",
    async (world) => {
      const phrases = ["Bad Request", "Forbidden", "Not Found", "Too Many Requests", "Internal Server Error"];
      const answers = await oneOfEach(world);
      expect(answers.map(({ status }) => status)).toEqual([400, 403, 404, 429, 500, 503, 504]);
      for (const [index, { status, json }] of answers.entries()) {
        const error = [...phrases, "Service Unavailable", "Gateway Timeout"][index];
        expect(json).toStrictEqual({ status, error, message: expect.stringMatching(/^\S.{10,}/) });
      }
    },
    NARROW_BUS,
  );

  verifiesHttp("ERR-BODY", async (world) => {
    for (const [request, status, error] of [
      [{ path: "/nowhere" }, 404, "Not Found"],
      [{ method: "DELETE", path: "/services" }, 405, "Method Not Allowed"],
      [{ ...requestFor("haltTrading"), headers: { "Content-Type": "text/xml" } }, 415, "Unsupported Media Type"],
    ] as const) {
      const reply = await world.http(request);
      expect(reply.headers["content-type"]).toBe("application/json");
      expect(JSON.parse(reply.body)).toStrictEqual({ status, error, message: expect.stringMatching(/^\S.{10,}/) });
      expect(reply.status).toBe(status);
    }
  });
});

describe("429, 500, 503, 504", () => {
  verifies(
    "ERR-429",
    async (world) => {
      await withFullBus(world, async () => {
        expectError(await world.call("haltTrading"), 429, overloadedMessage(world));
        expect(world.audit.stages).toEqual(["intent", "not-sent"]);
      });
      expect((await world.call("haltTrading")).status).toBe(200);
    },
    NARROW_BUS,
  );

  verifies("ERR-500", async (world) => {
    const lines: unknown[] = [];
    const write = (message: string, details: object = {}) => void lines.push({ message, ...details });
    logEvents(world.api, { info: write, warn: write, error: write });
    await withFailingEngine(world, "table LIMITS: page 7 is corrupt", async () => {
      for (const { name, input } of ENDPOINTS) {
        expectError(await world.call(name, input), 500, MESSAGES.failed);
        expect(lines.at(-1)).toMatchObject({ operation: name, cause: expect.stringContaining("page 7 is corrupt") });
      }
    });
    expect(lines).toHaveLength(18);
  });

  verifies("ERR-503", async (world) => {
    await withoutEngine(world, async () => {
      expectError(await world.call("haltTrading"), 503, MESSAGES.unavailable);
      expectError(await world.call("getTradingStatus"), 503, MESSAGES.unavailable);
    });
    settle(world);
    expect(world.gate.seen).toEqual([]);
    expectOk(await world.call("getTradingStatus"), { projectionPath: "", halted: false, reason: null });
  });

  verifies("ERR-504-TIMEOUT", async (world) => {
    const calls = [endpoint("haltTrading"), endpoint("getTradingStatus")];
    for (const answer of await callHanging(world, calls, 10_000)) expectError(answer, 504, MESSAGES.timeout);
    for (const { status } of await callHanging(world, calls, 9_999)) expect(status).toBe(200);
  });
});

describe("limits", () => {
  verifies("LIMIT-ENGINE-WAIT", async (world) => {
    const started = world.clock.now();
    const answers = await callHanging(world, ENDPOINTS, 10_000);
    for (const answer of answers) expectError(answer, 504, MESSAGES.timeout);
    expect(answers).toHaveLength(18);
    for (const { context } of world.gate.seen) expect(context.deadline).toBe(started + 10_000);
  });

  verifies(
    "LIMIT-NO-RETRIES",
    async (world) => {
      for (const { name, input } of MUTATIONS) {
        const statuses: number[] = [];
        const call = async () => void statuses.push((await world.call(name, input)).status);
        await withFullBus(world, call);
        await withFailingEngine(world, "failed", call);
        await withoutEngine(world, call);
        await clockIsKnown(world);
        statuses.push(...(await callHanging(world, [endpoint(name)], 10_000)).map(({ status }) => status));
        world.clock.advance(120_000);
        expect({ name, statuses }).toEqual({ name, statuses: [429, 500, 503, 504] });
        // Only the failure and the timeout had reached the engine.
        expect(world.gate.seen.filter(({ method }) => method === name)).toHaveLength(2);
      }
    },
    NARROW_BUS,
  );

  verifies(
    "LIMIT-OVERLOAD",
    async (world) => {
      await withFullBus(world, async () => {
        for (const { name, input } of ENDPOINTS) {
          expectError(await world.call(name, input), 429, overloadedMessage(world));
        }
        expect(world.gate.seen).toHaveLength(1);
      });
      for (const { name, input } of ENDPOINTS) {
        expect({ name, status: (await world.call(name, input)).status }).toEqual({ name, status: 200 });
      }
    },
    NARROW_BUS,
  );

  verifies("LIMIT-COMMANDS", async (world) => {
    const none = await world.call("updateRiskTable", { projection: "Source", commands: [] });
    expectError(none, 400, "commands: must hold at least one command");
    const commands = [{ type: "DELETE", conditions: { Source: "WEBDESK" } }];
    const one = await ok<{ rows: unknown[] }>(world.call("updateRiskTable", { projection: "Source", commands }));
    expect(one.rows).toHaveLength(1);
  });
});
