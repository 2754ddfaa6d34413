import { expect, it } from "vitest";
import type { Authentication } from "../../src/auth/authenticator.ts";
import { actuatorHandler } from "../../src/gateway/actuator/actuator.ts";
import { Availability } from "../../src/gateway/actuator/health.ts";
import type { HttpRequest } from "../../src/http/message.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { nextTurn } from "../core/gate-world.ts";

const REFUSED: Authentication = { kind: "challenge", challenge: "Basic" };

const REQUEST: HttpRequest = {
  method: "GET",
  target: "/actuator/health",
  address: "127.0.0.1",
  header: (name) => (name === "authorization" ? "Basic guess" : undefined),
  readBody: () => Promise.reject(new Error("a page has no body")),
};

it("D-LOAD 2: what one check of credentials answers is answered in turns here, too", async () => {
  const rig = await startTestRig();
  const handle = actuatorHandler({
    availability: new Availability(),
    components: {},
    metrics: () => Promise.reject(new Error("nobody asks for metrics")),
    authenticator: { authenticate: async () => REFUSED },
    api: rig.api,
    openMetrics: false,
    onFailure: (_requestId, error) => {
      throw error;
    },
  });
  const statuses: (number | undefined)[] = [];
  const responding = Array.from({ length: 12 }, async () => {
    statuses.push((await handle(REQUEST))?.status);
    // A response takes a turn's time.
    rig.clock.advance(1);
  });
  const seen: number[] = [];
  while (statuses.length < 12) {
    await nextTurn();
    seen.push(statuses.length);
  }
  await Promise.all(responding);
  expect(statuses).toEqual(Array(12).fill(401));
  expect(seen.length).toBeGreaterThanOrEqual(3);
  await rig.close();
});
