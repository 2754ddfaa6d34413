import { expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { type Engine, EngineRejection, type RejectionKind } from "../../src/engine/engine.ts";
import { serveEngine } from "../../src/engine/serve.ts";
import { MemoryAudit } from "../../src/testing/memory-audit.ts";
import { InProcessBus } from "../../transports/in-process.ts";

it.each<readonly [RejectionKind, number, string]>([
  ["rejected", 400, "rejected"],
  ["not-found", 404, "rejected"],
  ["overloaded", 429, "not-sent"],
  ["unavailable", 503, "not-sent"],
])("an engine that refuses a halt as %s: the caller gets %i, the record says %s", async (refusal, status, stage) => {
  const haltTrading = (): never => {
    throw new EngineRejection(refusal, "not now");
  };
  const bus = new InProcessBus();
  await serveEngine({ haltTrading } as Partial<Engine> as Engine, bus);
  const audit = new MemoryAudit();
  const api = new AdminApi({ transport: bus, audit });
  await expect(api.as(principal("chief", PERMISSIONS)).haltTrading()).rejects.toMatchObject({
    status,
    message: "not now",
  });
  expect(audit.stages).toEqual(["intent", stage]);
});
