import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import type { Installation } from "../../../src/engine/simulated/installation.ts";
import { SimulatedEngine } from "../../../src/engine/simulated/simulated-engine.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { FixClient } from "../../support/fix-client.ts";
import { installation } from "../fixture.ts";

export const GATEWAYS = `
gateways:
  OE1:
    type: OrderEntry
    local-ip: 10.0.0.1
    local-port: 9001
    sessions:
      - { id: FIXCLIENT1, sender: ENGINE, target: FIXCLIENT1, remote-ip: 10.1.0.1 }
      - { id: "desk 2", sender: ENGINE, target: FIXCLIENT2, remote-ip: 10.1.0.2, status: Disconnected }
      - { id: LEGACY, sender: ENGINE, target: LEGACY, remote-ip: 10.1.0.3, status: Disabled }
  MD1: { type: MarketData, local-ip: 10.0.0.2, sessions: [{ id: M1, sender: ENGINE, target: M1, remote-ip: 10.1.0.1 }] }
  OE2: { type: OrderEntry, local-ip: 10.0.0.3, sessions: [{ id: OTHER, sender: ENGINE, target: OTHER, remote-ip: 10.1.0.1 }] }
`;

export const FIXCLIENT1 = { gateway: "OE1", session: "FIXCLIENT1" };

/** Milliseconds that each look at the clock takes, and a gate's share of a turn. */
export const LOOK_MS = 0.05;
export const BUDGET_MS = 1;

/** A clock that goes on with each look at it: what a turn may do is counted, not timed. Its timers never fire. */
export function countingClock(): Clock {
  let now = 0;
  const monotonic = (): number => {
    now += LOOK_MS;
    return now;
  };
  return { now: Date.now, monotonic, schedule: () => () => {} };
}

export interface FixBench {
  readonly engine: SimulatedEngine;
  readonly clock: ManualClock;
  /** Port of OE1. */
  readonly port: number;
  readonly ports: readonly { readonly gateway: string; readonly port: number }[];
  logOn(...options: Parameters<typeof FixClient.logOn> extends [number, ...infer R] ? R : never): Promise<FixClient>;
  connect(sender?: string, next?: number): Promise<FixClient>;
}

/** An engine with open ports and a frozen clock, closed behind the test. */
export function fixBench(...parts: string[]): Promise<FixBench> {
  return fixBenchOf(installation(GATEWAYS, ...parts));
}

export async function fixBenchOf(what: Installation): Promise<FixBench> {
  const clock = new ManualClock();
  const engine = new SimulatedEngine(what, { clock });
  const ports = await engine.openFixPorts();
  const clients: FixClient[] = [];
  const known = async (opening: Promise<FixClient>): Promise<FixClient> => {
    const client = await opening;
    clients.push(client);
    return client;
  };
  onTestFinished(async () => {
    for (const client of clients) client.close();
    await engine.closeFixPorts();
  });
  const port = ports[0]?.port ?? 0;
  return {
    engine,
    clock,
    port,
    ports,
    logOn: (...options) => known(FixClient.logOn(port, ...options)),
    connect: (sender, next) => known(FixClient.connect(port, sender, next)),
  };
}
