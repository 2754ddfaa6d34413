import { describe, expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import { MemoryAudit, startTestRig } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { EngineWatch } from "../../transports/link/engine-watch.ts";
import { uncaughtDuring } from "../support/uncaught.ts";
import { warningsDuring } from "../support/warnings.ts";

const ALICE = principal("alice", ["HALT_RESUME_TRADING"]);

function broken(): never {
  throw new Error("of the host");
}

/** What the process was told, and what would have ended it. */
async function consequencesOf(run: () => Promise<unknown>): Promise<{ warnings: string[]; uncaught: unknown[] }> {
  const rejected: unknown[] = [];
  const note = (reason: unknown): void => void rejected.push(reason);
  process.on("unhandledRejection", note);
  let uncaught: unknown[] = [];
  const warnings = await warningsDuring(async () => {
    uncaught = await uncaughtDuring(run);
  });
  process.off("unhandledRejection", note);
  return { warnings: warnings.map((text) => text.split("\n", 2).join(": ")), uncaught: [...uncaught, ...rejected] };
}

describe("D-LOG 28: what a host is told with cannot end its process", () => {
  it("a log that throws", async () => {
    const api = new AdminApi({
      transport: new InProcessBus(),
      audit: new MemoryAudit(),
      stopCheck: false,
      log: { info: broken, warn: broken, error: broken },
    });
    await api.start();
    const told = await consequencesOf(() => expect(api.as(ALICE).haltTrading()).rejects.toMatchObject({ status: 503 }));
    const lost = "lost: The engine message bus is not available";
    expect(told).toEqual({ warnings: [`\`log.error\` of the host has thrown: ${lost}`], uncaught: [] });
    await api.close();
  });

  it("a listener whose promise is rejected", async () => {
    const rig = await startTestRig();
    rig.api.on("call", async () => broken());
    const told = await consequencesOf(() => rig.as("chief", { requestId: "r-1" }).haltTrading());
    expect(told).toEqual({ warnings: ['A listener to "call" has thrown: Error: of the host'], uncaught: [] });
    await rig.close();
  });

  it("onResponse that throws, and the response is the same", async () => {
    const rig = await startTestRig();
    const authenticator = { authenticate: () => ({ kind: "principal", principal: ALICE }) as const };
    const handle = httpHandler(rig.api, { authenticator, onResponse: broken });
    const request = {
      method: "GET",
      target: "/api/admin/v1/trading/status",
      header: () => undefined,
      address: "127.0.0.1",
      readBody: broken,
    };
    let status: number | undefined;
    const told = await consequencesOf(async () => {
      status = (await handle(request as never))?.status;
    });
    expect(status).toBe(200);
    expect(told).toEqual({ warnings: ["`onResponse` has thrown: Error: of the host"], uncaught: [] });
    await rig.close();
  });

  it("onEvent that throws", async () => {
    const told = await consequencesOf(async () => new EngineWatch(broken).gone({}, "No engine listens"));
    expect(told).toEqual({ warnings: ["`onEvent` of the host has thrown: Error: of the host"], uncaught: [] });
  });
});
