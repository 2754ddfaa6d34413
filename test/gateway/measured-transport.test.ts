import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { EngineExchange, EngineReply, EngineRequest, EngineTransport } from "../../src/core/engine/transport.ts";
import { MeasuredTransport } from "../../src/gateway/telemetry/link.ts";

/** An exchange whose members are those of a class, as a host's own transport may have it. */
class TwoReplies implements EngineExchange {
  readonly reply = Promise.resolve<EngineReply>({ ok: true, result: null });
  listener: ((reply: EngineReply) => void) | undefined;
  isAbandoned = false;

  contradicted(listener: (reply: EngineReply) => void): void {
    this.listener = listener;
  }

  abandon(): void {
    this.isAbandoned = true;
  }
}

const HALT: EngineRequest = {
  method: "haltTrading",
  input: { projectionPath: "" },
  lane: "stop",
  context: { user: "chief", requestId: "r-1", deadline: Number.MAX_SAFE_INTEGER },
};

it("D-LINK 24: a second reply that contradicts the first reaches the gateway through the measured transport", async () => {
  const exchange = new TwoReplies();
  const inner = { state: "up", exchange: () => exchange } as unknown as EngineTransport;
  const registry = new Registry();
  const measured = new MeasuredTransport(inner, registry).exchange(HALT);
  const heard: EngineReply[] = [];
  measured.contradicted?.((reply) => heard.push(reply));
  expect(await measured.reply).toEqual({ ok: true, result: null });
  const contradiction: EngineReply = { ok: false, refusal: "rejected", message: "not today" };
  exchange.listener?.(contradiction);
  expect(heard).toEqual([contradiction]);
  measured.abandon();
  expect(exchange.isAbandoned).toBe(true);
  expect(await registry.metrics()).toContain('trading_admin_engine_duration_seconds_count{operation="haltTrading"} 1');
});
