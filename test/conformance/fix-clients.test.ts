import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_LANDMARKS } from "../../src/testing/conformance/engine-fixture.ts";
import { requireCommand } from "../cli/command.ts";
import { ReturningFixClient } from "../support/returning-fix-client.ts";
import { ClientSessions, casesOf } from "./client-sessions.ts";
import { passes } from "./passes.ts";

let engine: ClientSessions;
let clients: readonly ReturningFixClient[] = [];

beforeAll(async () => {
  requireCommand();
  engine = await ClientSessions.start();
  clients = engine.ports.flatMap(({ port, clients }) => clients.map((name) => new ReturningFixClient(port, name)));
  await engine.allLoggedOn();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await engine?.close();
});

/** Sessions that the kit takes the connection of. */
const TAKEN = [...DEMO_LANDMARKS.sessions.disabled, DEMO_LANDMARKS.sessions.disconnected];

describe("D-ENG 34: the simulated engine passes the conformance kit over WebSocket while real clients have all its FIX sessions", () => {
  for (const one of casesOf(() => engine)) it(one.name, () => passes(one), 60_000);

  it("and they are back in the end, logged on once more where the kit disabled or disconnected, with equal numbers at both ends", async () => {
    const sessions = await engine.allLoggedOn();
    for (const { sessionId, targetId, remotePort, inboundSequence } of sessions) {
      const client = clients.find(({ sender }) => sender === targetId);
      const isTaken = TAKEN.some(({ session }) => session === sessionId);
      const logons = client?.logons ?? 0;
      if (sessionId === "LEGACY") expect([sessionId, logons]).toEqual([sessionId, 0]);
      else {
        expect([sessionId, logons > 1]).toEqual([sessionId, isTaken]);
        expect([sessionId, remotePort, inboundSequence]).toEqual([sessionId, client?.port, client?.next]);
      }
    }
  });
});
