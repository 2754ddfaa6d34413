import { expect, it, vi } from "vitest";
import type { Authentication } from "../../src/auth/authenticator.ts";
import { AdminError } from "../../src/core/errors.ts";
import { anonymousCaller } from "../../src/core/load/caller-queue.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import type { HttpRequest } from "../../src/http/message.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { nextTurn } from "../core/gate-world.ts";

const CHIEF: Authentication = { kind: "principal", principal: principal("chief", PERMISSIONS) };
const ANONYMOUS_TURN = `turn of ${anonymousCaller("127.0.0.1")}`;

it.each([
  { found: "immediately", authenticate: () => CHIEF, order: [ANONYMOUS_TURN, "is chief"] },
  {
    found: "later, which gives others their turns",
    authenticate: async () => CHIEF,
    order: [ANONYMOUS_TURN, "is chief", "turn of chief"],
  },
])("D-LOAD 2: turns are those of the address until the user is known: $found", async ({ authenticate, order }) => {
  const rig = await startTestRig();
  const events: string[] = [];
  const { gate } = rig.api;
  vi.spyOn(gate, "admit").mockImplementation((caller) => {
    events.push(`turn of ${caller}`);
    return undefined;
  });
  vi.spyOn(gate, "reenter").mockImplementation(async (caller) => {
    events.push(`turn of ${caller}`);
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

it.each([
  ["GET", "/trading/status", false],
  ["POST", "/positions", false],
  ["POST", "/trading/halt", true],
  ["POST", "/trading/resume", true],
] as const)("D-LOAD 9: whether %s %s is a command of a user: %s", async (method, path, isCommand) => {
  const rig = await startTestRig();
  const known: unknown[] = [];
  const kind = "principal";
  const authenticate = (): Authentication => ({ kind, principal: principal("chief", PERMISSIONS) });
  await httpHandler(rig.api, { authenticator: { authenticate } })({
    method,
    target: `/api/admin/v1${path}`,
    address: "127.0.0.1",
    header: () => undefined,
    authenticated: (...user) => known.push(user),
    readBody: async () => ({ kind: "parsed", value: undefined }),
  });
  expect(known).toEqual([["chief", isCommand]]);
  await rig.close();
});

const REFUSED: Authentication = { kind: "challenge", challenge: "Basic" };

/** A request of somebody who is not known yet. */
function unknown(target: string, method: "GET" | "POST" = "POST"): HttpRequest {
  return {
    method,
    target: `/api/admin/v1${target}`,
    address: "127.0.0.1",
    header: (name) => (name === "content-length" ? "0" : undefined),
    readBody: () => Promise.reject(new Error("nobody reads what an unauthenticated caller sends")),
  };
}

it.each([
  ["refuses", async () => REFUSED],
  ["fails", () => Promise.reject(new AdminError("IDENTITY_PROVIDER_UNAVAILABLE", "It does not answer"))],
])("D-LOAD 2: when one check %s, all who wait are answered in turns, others in between", async (_how, authenticate) => {
  const rig = await startTestRig();
  const handle = httpHandler(rig.api, { authenticator: { authenticate } });
  let answered = 0;
  const responding = Array.from({ length: 6 }, async () => {
    await handle(unknown("/trading/halt"));
    answered += 1;
    // An answer takes a turn's time.
    rig.clock.advance(1);
  });
  const seen: number[] = [];
  while (answered < 6) {
    await nextTurn();
    seen.push(answered);
  }
  await Promise.all(responding);
  expect(seen.length).toBeGreaterThanOrEqual(3);
  await rig.close();
});

it("D-LOAD 2: when one check accepts, all who wait are served in turns, others in between", async () => {
  const rig = await startTestRig();
  const handle = httpHandler(rig.api, { authenticator: { authenticate: async () => CHIEF } });
  const serve = rig.bus.exchange.bind(rig.bus);
  let served = 0;
  vi.spyOn(rig.bus, "exchange").mockImplementation((request) => {
    served += 1;
    rig.clock.advance(1);
    return serve(request);
  });
  const responding = Array.from({ length: 40 }, () => handle(unknown("/trading/status", "GET")));
  const seen: number[] = [];
  while (served < 40) {
    await nextTurn();
    seen.push(served);
  }
  expect((await Promise.all(responding)).map((response) => response?.status)).toEqual(Array(40).fill(200));
  expect(seen.length).toBeGreaterThanOrEqual(4);
  await rig.close();
});

it("D-LANE 2: eight stops of an address go first while their credentials are checked, and again when they are", async () => {
  const rig = await startTestRig();
  const checks: { accept: () => void; fail: () => void; refuse: () => void }[] = [];
  const authenticate = (): Promise<Authentication> =>
    new Promise((resolve, reject) => {
      const fail = (): void => reject(new AdminError("IDENTITY_PROVIDER_UNAVAILABLE", "It does not answer"));
      checks.push({ accept: () => resolve(CHIEF), refuse: () => resolve(REFUSED), fail });
    });
  const handle = httpHandler(rig.api, { authenticator: { authenticate } });
  const priority = (): unknown => rig.api.gate.stopPriority.priority(anonymousCaller("127.0.0.1"));
  const reading = handle(unknown("/trading/status", "GET"));
  const halting: ReturnType<typeof handle>[] = [];
  for (let count = 1; count <= 8; count += 1) {
    expect(priority()).toBe("stop");
    halting.push(handle(unknown("/trading/halt")));
  }
  expect([priority(), rig.api.gate.yields]).toEqual(["stop-over-limit", false]);
  checks[1]?.accept();
  await halting[0];
  expect(priority()).toBe("stop");
  halting.push(handle(unknown("/trading/halt")));
  expect(priority()).toBe("stop-over-limit");
  checks[2]?.fail();
  await halting[1];
  expect(priority()).toBe("stop");
  for (const { refuse } of checks) refuse();
  await Promise.all([reading, ...halting]);
  await rig.close();
});

it("D-LANE 2: what an authenticator promises may come from any library, also for a stop", async () => {
  const rig = await startTestRig();
  // biome-ignore lint/suspicious/noThenProperty: this is what such a library returns
  const thenable = { then: (resolve: (found: Authentication) => void) => resolve(CHIEF) };
  const handle = httpHandler(rig.api, { authenticator: { authenticate: () => thenable as Promise<Authentication> } });
  for (let stop = 1; stop <= 9; stop += 1) {
    const response = handle(unknown("/trading/halt"));
    const { status } = await rig.until(() => response);
    expect(status).toBe(200);
  }
  expect(rig.api.gate.stopPriority.priority(anonymousCaller("127.0.0.1"))).toBe("stop");
  await rig.close();
});
