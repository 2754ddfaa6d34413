import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { MUTATIONS } from "../requirements/support/endpoints.ts";
import { type NatsServer, startNatsServer } from "../support/nats-server.ts";
import { openFaultWorld } from "./support/fault-world.ts";
import { answering, FAULTS } from "./support/faults.ts";
import { openNatsPeer } from "./support/nats-peer.ts";
import type { Peer } from "./support/peer.ts";
import { openWebSocketPeer } from "./support/websocket-peer.ts";

let natsServer: NatsServer;
let peers = 0;

beforeAll(async () => {
  natsServer = await startNatsServer();
});

afterAll(() => natsServer.stop());

const WIRES: Readonly<Record<string, () => Promise<Peer>>> = {
  websocket: openWebSocketPeer,
  nats: () => {
    peers += 1;
    return openNatsPeer(natsServer.url, `faults-${peers}`);
  },
};

/** What is known of the command by the stage that its caller was told. */
const KNOWN = { 200: "applied", 400: "rejected", 429: "not-sent", 500: "unknown", 503: "not-sent", 504: "unknown" };

describe.each(Object.entries(WIRES))("D-ENG 2, D-ENG 3, D-ENG 4, D-ENG 21, D-LINK 1 over %s", (_wire, openPeer) => {
  describe.each(FAULTS)("$name: $status, $stages", ({ play, status, seen, ...fault }) => {
    test.each(MUTATIONS)("$name", async (mutation) => {
      const isStop = operationRecord(operations, mutation.name).lane === "stop";
      const stages = (isStop && fault.stagesOfStop) || fault.stages;
      const world = await openFaultWorld(await openPeer());
      try {
        expect(await play(world, mutation)).toEqual({ status, outcome: KNOWN[status as keyof typeof KNOWN] });
        expect(world.audit.stages).toEqual(stages);
        expect(new Set(world.audit.records.map(({ id }) => id)).size).toBe(1);
        expect(world.lateReplies).toEqual(stages.filter((stage) => stage.endsWith("late")));
        expect(world.peer.seen).toHaveLength(seen);

        answering(world);
        expect(await world.call(mutation)).toEqual({ status: 200, outcome: "applied" });
        const ids = world.peer.seen.map(({ context }) => context.requestId);
        expect(ids).toHaveLength(seen + 1);
        expect(new Set(ids).size).toBe(ids.length);
      } finally {
        await world.close();
      }
    });
  });
});
