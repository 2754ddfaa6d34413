import { Agent } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AdminEvents } from "../../src/core/events.ts";
import { busRecord, operationNames, operations } from "../../src/core/operations/table.ts";
import { credentials, USERS } from "../support/access-files.ts";
import { committedReplies } from "../support/documented-replies.ts";
import { cases, EVERYTHING, SEED } from "../support/extent.ts";
import { sendRaw } from "../support/raw-http.ts";
import { faultsOf, faultsOfRaw } from "./check.ts";
import { type Reply, send, sendBytes, targetOf } from "./client.ts";
import { type FuzzedWorld, openExpressWorld, openGatewayWorld } from "./destinations.ts";
import { rawRequests } from "./raw.ts";
import { ANONYMOUS_ID, type FuzzedRequest, isHttp, requests } from "./requests.ts";

/** How many requests go where. */
const GATEWAY_REQUESTS = cases(11_000);
const EXPRESS_REQUESTS = cases(3_000);
const RAW_REQUESTS = cases(6_000);

/** Among few requests not every operation has one that reaches the engine. */
const REACHED = EVERYTHING ? operationNames.length : operationNames.length / 2;

const TIMEOUT_MS = 120_000;

/** Sends all samples, some at a time, and answers what was wrong: how to send it again, and the faults. */
async function run<T>(
  samples: readonly T[],
  atATime: number,
  ask: (sample: T) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < samples.length; index = next++) {
      const sample = samples[index] as T;
      const faults = await ask(sample);
      if (faults.length > 0) found.push(`FUZZ_SEED=${SEED} #${index}: ${faults.join("; ")}\n${printed(sample)}`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found;
}

/** A sample so that its bytes can be read off; long ones are cut. */
function printed(sample: unknown): string {
  const text = JSON.stringify(sample, (_, value: unknown) => {
    const bytes = value as { type?: unknown; data?: number[] } | null;
    return bytes?.type === "Buffer" ? Buffer.from(bytes.data ?? []).toString("latin1") : value;
  });
  return text.length > 3_000 ? `${text.slice(0, 3_000)}...` : text;
}

/** The first faults; all of them would drown the message. */
function expectNone(found: readonly string[]): void {
  expect(found.length === 0 ? "" : `${found.length} faults, such as:\n${found.slice(0, 3).join("\n")}`).toBe("");
}

/** Sends requests; those without a fault have to reach the operations. */
async function sendAll(samples: readonly FuzzedRequest[], world: FuzzedWorld): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  let sent = 0;
  const ask = async (fuzzed: FuzzedRequest): Promise<string[]> => {
    sent += 1;
    // Halts take effect as time passes.
    if (sent % 500 === 0) world.rig.clock.advance(10);
    const reply = await send(fuzzed, world, agent);
    return [...faultsOf(fuzzed, world, reply), ...(await undocumented(fuzzed, world, reply))];
  };
  const found = await run(samples, 24, ask).finally(() => agent.destroy());
  expect(new Set(world.rig.gate.seen.map(({ method }) => method)).size).toBeGreaterThanOrEqual(REACHED);
  return found;
}

/** How a reply differs from docs/openapi.json; what is not HTTP is not answered by the API. */
async function undocumented(fuzzed: FuzzedRequest, world: FuzzedWorld, reply: Reply | string): Promise<string[]> {
  if (typeof reply === "string" || !isHttp(fuzzed)) return [];
  return committedReplies.faults({ method: fuzzed.method, path: targetOf(fuzzed, world), ...reply });
}

/** What an embedding host's own server answers before the API: what is not HTTP, odd expectations, endless headers. */
function isForHost(fuzzed: FuzzedRequest): boolean {
  const { headers, path, below } = fuzzed;
  const expects = headers.some(([name, value]) => name === "Expect" && value !== "100-continue");
  return !below || !isHttp(fuzzed) || expects || headers.flat().join(path).length > 14_000;
}

/** Checks that hold for the engine's side, whatever was sent. */
function expectEngineSafe({ rig }: FuzzedWorld, failures: readonly AdminEvents["failure"][]): void {
  expect(failures).toEqual([]);
  const { seen } = rig.gate;
  expect(seen.filter(({ context }) => context.requestId.startsWith(ANONYMOUS_ID))).toEqual([]);
  const unpermitted = seen.filter(({ method, context }) => {
    const { permission } = busRecord(operations, method);
    const held = USERS[context.user];
    return !held || (permission !== null && !held.includes(permission));
  });
  expect(unpermitted).toEqual([]);
  const recorded = new Set(
    rig.audit.records.filter(({ stage }) => stage === "intent").map(({ requestId }) => requestId),
  );
  expect(seen.filter(({ lane, context }) => lane !== "read" && !recorded.has(context.requestId))).toEqual([]);
}

function fuzzes(name: string, open: () => Promise<FuzzedWorld>, prove: (world: FuzzedWorld) => Promise<void>): void {
  let world: FuzzedWorld;
  const failures: AdminEvents["failure"][] = [];
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);

  beforeAll(async () => {
    world = await open();
    world.rig.api.on("failure", (failure) => failures.push(failure));
    process.on("uncaughtExceptionMonitor", note);
  });
  afterAll(async () => {
    process.off("uncaughtExceptionMonitor", note);
    await world.close();
  });

  it(
    name,
    async () => {
      await prove(world);
      expect(uncaught).toEqual([]);
      expectEngineSafe(world, failures);
      expect(world.rig.gate.seen.length).toBeGreaterThan(cases(200));
      const url = `http://${world.hostname}:${world.port}${world.basePath}`;
      const after = await sendRaw(url, { path: "/trading/status", authorization: credentials("viewer") });
      expect([after.status, Object.keys(JSON.parse(after.body))]).toEqual([
        200,
        ["projectionPath", "halted", "reason"],
      ]);
    },
    TIMEOUT_MS,
  );
}

describe("D-HTTP 2: fuzzed requests: no undocumented status, no HTML, no crash, no 500", () => {
  fuzzes(`D-TEST 3: ${GATEWAY_REQUESTS} strange requests to the gateway`, openGatewayWorld, async (world) => {
    expectNone(await sendAll(fc.sample(requests, { numRuns: GATEWAY_REQUESTS, seed: SEED }), world));
  });
});

describe("the same behind an Express application that parses bodies", () => {
  fuzzes(`${EXPRESS_REQUESTS} strange requests to Express 5`, openExpressWorld, async (world) => {
    const samples = requests.filter((fuzzed) => !isForHost(fuzzed));
    expectNone(await sendAll(fc.sample(samples, { numRuns: EXPRESS_REQUESTS, seed: SEED + 1 }), world));
  });
});

describe("D-HTTP 2: bytes that are hardly HTTP", () => {
  fuzzes(`${RAW_REQUESTS} sequences of bytes to the gateway`, openGatewayWorld, async (world) => {
    const samples = fc.sample(rawRequests, { numRuns: RAW_REQUESTS, seed: SEED + 2 });
    expectNone(await run(samples, 48, async (raw) => faultsOfRaw(raw, await sendBytes(raw, world))));
  });
});
