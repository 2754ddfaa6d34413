import { describe, expect, it } from "vitest";
import type { AdminClient, ClientOptions } from "../../src/client/client.ts";
import { AdminClientError, ReadFailedError } from "../../src/client/errors.ts";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { call, clientAt, clientOf, failureOf, READS, withWorld } from "./calls.ts";
import { HastyClock, NO_LIMIT } from "./hasty-clock.ts";
import { errorBody, json, type Script, ScriptedServer } from "./scripted-server.ts";

const STATUS = { projectionPath: "", halted: false, reason: null };

interface Hasty {
  readonly server: ScriptedServer;
  readonly clock: HastyClock;
  readonly client: AdminClient;
}

async function hasty(script: Script, options: Partial<ClientOptions> = {}): Promise<Hasty> {
  const server = await ScriptedServer.start(script);
  const clock = new HastyClock();
  return { server, clock, client: clientAt(server.origin, { clock, ...NO_LIMIT, ...options }) };
}

/** Fails a few times, then answers what any read takes. */
function failing(times: number, fail: Script): Script {
  return (response, request, count) => {
    if (count < times) return fail(response, request, count);
    return json(response, 200, request.path.includes("status") ? STATUS : []);
  };
}

function refusing(status: number, headers: Record<string, string> = {}): Script {
  return (response) => json(response, status, errorBody(status, "not now"), headers);
}

function expectBetween(values: readonly number[], bounds: readonly (readonly [number, number])[]): void {
  expect(values).toHaveLength(bounds.length);
  for (const [index, [least, most]] of bounds.entries()) {
    expect(values[index]).toBeGreaterThanOrEqual(least);
    expect(values[index]).toBeLessThanOrEqual(most);
  }
}

describe("a read is repeated while it fails with what may pass", () => {
  it.each(READS)("such as $name, under one request id", async ({ name }) => {
    const [{ input, output }] = operationRecord(operations, name).examples;
    const [read, body] = [{ name, input }, output as object];
    const { server, client } = await hasty((response, request, count) =>
      count === 0 ? refusing(503)(response, request, count) : json(response, 200, body),
    );
    expect(await call(client, read, { requestId: "night-1" })).toEqual(body);
    expect(server.requests.map(({ headers }) => headers["x-request-id"])).toEqual(["night-1", "night-1"]);
    const [first, second] = server.requests;
    expect({ ...second, headers: undefined }).toEqual({ ...first, headers: undefined });
  });

  it.each([
    ["in seconds", (): string => "7"],
    ["as a date", (clock: HastyClock): string => new Date(clock.now() + 7_000).toUTCString()],
  ])(
    "such as 429 and 503: after the time that Retry-After asks for, %s, and not all at the same moment",
    async (_, after) => {
      for (const status of [429, 503]) {
        const clock = new HastyClock();
        const script = failing(2, (response, request, count) =>
          refusing(status, { "Retry-After": after(clock) })(response, request, count),
        );
        const { client } = await hasty(script, { clock });
        await client.listServices();
        expectBetween(clock.pauses, [
          [7_000, 7_200],
          [7_000, 7_200],
        ]);
        expect(clock.pauses[0]).not.toBe(clock.pauses[1]);
      }
    },
  );

  it("without Retry-After, at growing intervals", async () => {
    const { client, clock } = await hasty(failing(3, refusing(503)));
    await client.listServices();
    expectBetween(clock.pauses, [
      [100, 200],
      [200, 400],
      [400, 800],
    ]);
  });

  it("when the connection is lost, and when there is none", async () => {
    const { client, server } = await hasty(failing(2, (response) => response.destroy()));
    expect(await client.listServices()).toEqual([]);
    await server.stop();
    const error = await failureOf(client.listServices());
    expect(error).toBeInstanceOf(ReadFailedError);
    expect(error.reason).toContain("ECONNREFUSED");
  });

  it("such as a 503 of the gateway itself, until its engine is back", () =>
    withWorld(async (world) => {
      const client = clientOf(world, "viewer", { retryReads: {} });
      world.bus.detach();
      const reading = client.listServices();
      await new Promise((resolve) => setTimeout(resolve, 200));
      await serveEngine(world.engine, world.gate, world.clock);
      expect(await reading).toContainEqual(expect.objectContaining({ name: "TWAP" }));
    }));
});

describe("the repeating of reads has its bounds", () => {
  it.each([
    ["three further tries by default", undefined, 4],
    ["as many as are set", { retries: 1 }, 2],
    ["none when it is switched off", false, 1],
  ] as const)("of number: %s", async (_, retryReads, requests) => {
    const { client, server } = await hasty(refusing(503), { retryReads });
    expect(await failureOf(client.listServices())).toMatchObject({ status: 503, reason: "not now" });
    expect(server.requests).toHaveLength(requests);
  });

  it("of time: what would come too late is not waited for", async () => {
    const { client, server, clock } = await hasty(refusing(429, { "Retry-After": "31" }));
    expect(await failureOf(client.listServices())).toMatchObject({ status: 429, retryAfter: 31 });
    expect([server.requests.length, clock.pauses]).toEqual([1, []]);
    const patient = await hasty(refusing(429, { "Retry-After": "31" }), { retryReads: { withinMs: 70_000 } });
    await failureOf(patient.client.listServices());
    expect(patient.server.requests).toHaveLength(3);
  });

  it("such as a caller who aborts while it waits, who gets the failure that was there", async () => {
    const controller = new AbortController();
    const server = await ScriptedServer.start(refusing(503, { "Retry-After": "20" }));
    const clock = {
      now: () => 0,
      monotonic: () => 0,
      schedule: (delayMs: number) => {
        if (delayMs >= 20_000) queueMicrotask(() => controller.abort());
        return () => {};
      },
    };
    const reading = clientAt(server.origin, { clock }).listServices({}, { signal: controller.signal });
    expect(await failureOf(reading)).toMatchObject({ status: 503, retryAfter: 20 });
    expect(controller.signal.aborted).toBe(true);
  });

  it.each([400, 401, 403, 404, 500, 502, 504])("such as the status %i", async (status) => {
    const { client, server } = await hasty(refusing(status));
    expect(await failureOf(client.listServices())).toBeInstanceOf(AdminClientError);
    expect(server.requests).toHaveLength(1);
  });

  it.each(["[", "null", "{}", "<html>"])("such as a response that is not understood: %s", async (body) => {
    const { client, server } = await hasty((response) => response.end(body));
    expect(await failureOf(client.listServices())).toMatchObject({ status: 200, outcome: undefined });
    expect(server.requests).toHaveLength(1);
  });
});
