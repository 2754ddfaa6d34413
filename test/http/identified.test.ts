import { expect, it, vi } from "vitest";
import type { Authentication } from "../../src/auth/authenticator.ts";
import { stranger } from "../../src/core/load/caller-queue.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import { startTestRig } from "../../src/testing/rig.ts";

const CHIEF: Authentication = { kind: "principal", principal: principal("chief", PERMISSIONS) };
const STRANGERS_TURN = `turn of ${stranger("127.0.0.1")}`;

it.each([
  { found: "at once", authenticate: () => CHIEF, order: [STRANGERS_TURN, "is chief"] },
  {
    found: "later, which gives others their turns",
    authenticate: async () => CHIEF,
    order: [STRANGERS_TURN, "is chief", "turn of chief"],
  },
])("D-LOAD 2: turns are those of the address until the user is known: $found", async ({ authenticate, order }) => {
  const rig = await startTestRig();
  const events: string[] = [];
  const turn = vi.spyOn(rig.api.gate, "turn");
  turn.mockImplementation((caller) => {
    events.push(`turn of ${caller}`);
    return undefined;
  });
  const response = await httpHandler(rig.api, { authenticator: { authenticate } })({
    method: "GET",
    target: "/api/admin/v1/trading/status",
    address: "127.0.0.1",
    header: () => undefined,
    authenticated: (user) => events.push(`is ${user}`),
    readBody: () => Promise.reject(new Error("a read has no body")),
  });
  expect(response?.status).toBe(200);
  expect(events).toEqual(order);
  await rig.close();
});
