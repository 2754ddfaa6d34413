import { describe, expect, it } from "vitest";
import { basic } from "../../src/client/credentials.ts";
import {
  AppliedError,
  DeniedError,
  NotAppliedError,
  OutcomeUnknownError,
  ReadFailedError,
} from "../../src/client/errors.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import {
  MESSAGES,
  NARROW_BUS,
  overloadedMessage,
  withFailingEngine,
  withFullBus,
  withoutEngine,
} from "../requirements/support/faults.ts";
import { lacks, reached } from "../requirements/support/responses.ts";
import { call, clientOf, failureOf, MUTATIONS, READS, withWorld } from "./calls.ts";

const REQUEST_ID = /^[0-9a-f]{18}-\d+$/;

describe("the client's errors say what happened to each mutation (D-ENG 3), by the API's own responses", () => {
  it("401 without a body: denied, not applied, and the engine saw nothing", () =>
    withWorld(async (world) => {
      const client = clientOf(world, "chief", { credentials: basic("chief", "wrong") });
      for (const mutation of MUTATIONS) {
        const error = await failureOf(call(client, mutation));
        expect(error).toBeInstanceOf(DeniedError);
        expect(error).toMatchObject({ status: 401, outcome: "not-applied", operation: mutation.name });
        expect(error.reason).toBe("the credentials are missing, expired or wrong");
      }
      expect(world.gate.seen).toEqual([]);
    }));

  it("403: denied, not applied, and the message names the permission", () =>
    withWorld(async (world) => {
      for (const { name, input, permission } of MUTATIONS) {
        const error = await failureOf(call(clientOf(world, "viewer"), { name, input }));
        expect(error).toBeInstanceOf(DeniedError);
        expect(error).toMatchObject({ status: 403, outcome: "not-applied", operation: name });
        expect(error.reason).toBe(permission && lacks("viewer", permission));
      }
      expect(world.gate.seen).toEqual([]);
    }));

  it.each([
    [400, "rejected", "Row exists already: Source=*"],
    [404, "not-found", 'Unknown FIX session "Ö/1"'],
  ] as const)("%i, %s by the engine: D-HTTP 19: not applied, its reason is unchanged", (status, refusal, message) =>
    withWorld(async (world, client) => {
      world.gate.replyWith(() => ({ ok: false, refusal, message }));
      for (const mutation of MUTATIONS) {
        const error = await failureOf(call(client, mutation));
        expect(error).toBeInstanceOf(NotAppliedError);
        expect(error).toMatchObject({ status, reason: message, outcome: "not-applied", retryAfter: undefined });
      }
    }),
  );

  it("429: not applied, with the seconds of Retry-After", () =>
    withWorld(async (world, client) => {
      await withFullBus(world, async () => {
        for (const mutation of MUTATIONS) {
          const error = await failureOf(call(client, mutation));
          expect(error).toBeInstanceOf(NotAppliedError);
          expect(error).toMatchObject({ status: 429, reason: overloadedMessage(world), retryAfter: 1 });
        }
      });
    }, NARROW_BUS));

  it("503: not applied, with the seconds of Retry-After", () =>
    withWorld(async (world, client) => {
      await withoutEngine(world, async () => {
        for (const mutation of MUTATIONS) {
          const error = await failureOf(call(client, mutation));
          expect(error).toBeInstanceOf(NotAppliedError);
          expect(error).toMatchObject({ status: 503, reason: MESSAGES.unavailable, retryAfter: 1 });
        }
      });
    }));

  it("D-ENG 3: 504: the outcome is unknown, and the request id is that of the audit records", () =>
    withWorld(async (world, client) => {
      for (const mutation of MUTATIONS) {
        const seen = world.gate.seen.length;
        world.gate.hold();
        const failing = failureOf(call(client, mutation));
        await reached(world, seen + 1);
        world.clock.advance(10_000);
        const error = await failing;
        world.gate.release();
        await world.allAnswered();
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toMatchObject({ status: 504, reason: MESSAGES.timeout, outcome: "unknown" });
        expect(error.requestId).toMatch(REQUEST_ID);
        const records = world.audit.records.filter(({ requestId }) => requestId === error.requestId);
        const stages = records.map(({ stage }) => stage);
        expect(stages).toEqual(["intent", "unknown", expect.stringMatching(/^(applied|rejected) late$/)]);
        expect(world.gate.seen.length).toBe(seen + 1);
      }
    }));

  it("500: the outcome is unknown", () =>
    withWorld(async (world, client) => {
      await withFailingEngine(world, "out of memory", async () => {
        for (const mutation of MUTATIONS) {
          const error = await failureOf(call(client, mutation));
          expect(error).toBeInstanceOf(OutcomeUnknownError);
          expect(error).toMatchObject({ status: 500, reason: MESSAGES.failed });
        }
      });
    }));

  it("D-ENG 16: a change that cannot be recorded was not applied, one whose outcome cannot be recorded was", () =>
    withWorld(async (world, client) => {
      world.audit.failure = new Error("disk full");
      const refused = await failureOf(client.resumeTrading());
      expect(refused).toBeInstanceOf(NotAppliedError);
      expect(refused).toMatchObject({ status: 500, outcome: "not-applied" });
      expect(world.gate.seen).toEqual([]);
      world.audit.failure = undefined;
      world.gate.replyWith(() => {
        world.audit.failure = new Error("disk full");
        return { ok: true, result: null };
      });
      const applied = await failureOf(client.resumeTrading({}, { requestId: "ticket-4711" }));
      expect(applied).toBeInstanceOf(AppliedError);
      expect(`${applied}`).toBe(
        "AppliedError: resumeTrading was applied, but something failed: The engine accepted the change, but this could not be recorded (status 500, request id ticket-4711)",
      );
    }));
});

describe("a read that fails is a failed read", () => {
  it("whatever the status, without an outcome; 401 and 403 are denied", () =>
    withWorld(async (world, client) => {
      const stranger = clientOf(world, "chief", { credentials: basic("nobody", "x") });
      for (const read of READS) {
        const denied = await failureOf(call(stranger, read));
        expect(denied).toBeInstanceOf(DeniedError);
        expect(denied).toMatchObject({ status: 401, outcome: undefined });
      }
      world.bus.detach();
      for (const read of READS) {
        const failed = await failureOf(call(client, read));
        expect(failed).toBeInstanceOf(ReadFailedError);
        expect(failed).toMatchObject({ status: 503, outcome: undefined });
      }
      await serveEngine(world.engine, world.gate, world.clock);
    }));
});

it("whose message says everything, for a person who sees nothing else", () =>
  withWorld(async (world, client) => {
    const options = { requestId: "ticket-4711" };
    const said = async (calling: Promise<unknown>): Promise<string> => `${await failureOf(calling)}`;
    expect(await said(client.disableService({ name: "SIM/2" }, options))).toBe(
      'NotAppliedError: disableService was not applied: Unknown service "SIM/2" (status 404, request id ticket-4711)',
    );
    expect(await said(clientOf(world, "viewer").haltTrading({}, options))).toBe(
      'DeniedError: haltTrading was denied: User "viewer" lacks the permission HALT_RESUME_TRADING; ask whoever keeps the access rules of this installation for it (status 403, request id ticket-4711)',
    );
    const lost = new TypeError("fetch failed", { cause: new Error("bad\nrecord") });
    const cut = clientOf(world, "chief", { fetch: () => Promise.reject(lost) });
    expect(await said(cut.listServices({}, options))).toBe(
      "ReadFailedError: listServices failed: fetch failed: bad record (no response, request id ticket-4711)",
    );
    expect(await said(cut.haltTrading({}, options))).toBe(
      "OutcomeUnknownError: haltTrading may have been applied: fetch failed: bad record (no response, request id ticket-4711)",
    );
  }));
