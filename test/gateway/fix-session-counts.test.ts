import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FixSessionCounts } from "../../src/gateway/telemetry/fix-sessions.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { type Sample, samplesOf } from "./exposition.ts";

let rig: TestRig;
let counts: FixSessionCounts;
let registry: Registry;
let lines: string[];
/** Operations that were read for the metrics. */
let asked: string[];
/** A gateway that cannot be read. */
let broken: string | undefined;
let linkState: "up" | "down";

beforeEach(async () => {
  rig = await startTestRig({ gateway: "gw" });
  registry = new Registry();
  [lines, asked, broken, linkState] = [[], [], undefined, "up"];
  const { api, clock } = rig;
  const readAsGateway: typeof api.readAsGateway = (name, input) => {
    asked.push(name);
    if (broken !== undefined && "gateway" in input && input.gateway === broken) return Promise.reject(new Error("odd"));
    return api.readAsGateway(name, input);
  };
  const log = { warn: (line: string) => lines.push(line), info: (line: string) => lines.push(line) };
  const source = {
    readAsGateway,
    get linkState() {
      return linkState;
    },
  };
  counts = new FixSessionCounts({ api: source, clock, log }, registry);
  counts.start();
});

afterEach(async () => {
  counts.close();
  await rig.close();
});

/** Lets the held clock continue, and the program run. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds; step += 1) {
    rig.clock.advance(1_000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  }
}

async function samples(name: string, gateway: string): Promise<Sample[]> {
  const found = samplesOf(await registry.metrics());
  return found.filter((sample) => sample.name === name && sample.labels.gateway === gateway);
}

async function sessionsOf(gateway: string): Promise<Record<string, number>> {
  const found = await samples("trading_admin_fix_sessions", gateway);
  return Object.fromEntries(found.map(({ labels, value }) => [labels.status, value]));
}

async function changedAt(gateway: string): Promise<number | undefined> {
  return (await samples("trading_admin_fix_last_change_timestamp_seconds", gateway))[0]?.value;
}

describe("D-GATE 11: metrics show how many FIX sessions of each gateway are in which status", () => {
  it("as the engine lists them, with a series for each status", async () => {
    await pass(31);
    const listed = await rig.as("viewer").listFixSessions({ gateway: "OE1" });
    const expected = (status: string): number => listed.filter((session) => session.status === status).length;
    expect(await sessionsOf("OE1")).toEqual({
      Connected: expected("Connected"),
      Disconnected: expected("Disconnected"),
      Disabled: expected("Disabled"),
    });
    expect(expected("Connected")).toBeGreaterThan(0);
  });

  it("read every 30 s, however often they are scraped, and not as a call of anybody", async () => {
    const calls: string[] = [];
    rig.api.on("call", ({ operation }) => calls.push(operation));
    await pass(31);
    const perRound = asked.length;
    for (let scrape = 0; scrape < 50; scrape += 1) await registry.metrics();
    await pass(20);
    expect(asked).toHaveLength(perRound);
    await pass(15);
    expect(asked).toHaveLength(2 * perRound);
    expect(calls).toEqual([]);
  });

  it("with the time at which a status or a peer was last seen to change", async () => {
    await pass(61);
    expect(await changedAt("OE1")).toBe(0);
    rig.engine.disableFixSession({ gateway: "OE1", session: "FIXCLIENT1" });
    await pass(30);
    const at = await changedAt("OE1");
    expect(at).toBeGreaterThan(0);
    await pass(60);
    expect([await changedAt("OE1"), await changedAt("MD1")]).toEqual([at, 0]);
  });

  it("without a gateway that cannot be read: the others stay, and the log says so once, and when it can be read again", async () => {
    await pass(31);
    broken = "OE1";
    await pass(60);
    expect(await sessionsOf("OE1")).toEqual({});
    expect(Object.keys(await sessionsOf("MD1"))).toHaveLength(3);
    broken = undefined;
    await pass(30);
    expect(Object.keys(await sessionsOf("OE1"))).toHaveLength(3);
    expect(lines).toEqual([
      "Metrics of FIX sessions: FIX gateway OE1 cannot be read: odd",
      "Metrics of FIX sessions: FIX gateway OE1 can be read again",
    ]);
  });

  it("and none while the link is down, over which nothing is asked; they are back after it", async () => {
    await pass(31);
    linkState = "down";
    await pass(30);
    const before = asked.length;
    await pass(30);
    expect([await sessionsOf("OE1"), asked.length, lines]).toEqual([{}, before, []]);
    linkState = "up";
    await pass(31);
    expect(Object.keys(await sessionsOf("OE1"))).toHaveLength(3);
  });

  it("and nothing is read any more once it is closed", async () => {
    await pass(31);
    counts.close();
    const before = asked.length;
    await pass(60);
    expect(asked).toHaveLength(before);
  });
});
