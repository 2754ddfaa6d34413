import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { type Counts, percentile, StormRig } from "./storm-rig.ts";

/** A minute of halts, one a second, is compressed: twice as many halts, five in a second. */
const HALTS = 120;
const EVERY_MS = 200;
const MARGIN_MS = 50;

/** Reads may do all their work at once, as many as there are. */
const LANES_OFF = `admin.lanes:
  user-share: 100
  read: { capacity: 1000000, turn: 1h, max-large: 1000000 }
`;

beforeAll(requireCommand);

async function start(settings: string): Promise<StormRig> {
  const rig = await StormRig.start(settings);
  onTestFinished(() => rig.close());
  return rig;
}

/** The 99th percentile of halts in a storm, beyond that of quiet ones, in milliseconds. */
async function lateness(rig: StormRig, halts: number): Promise<{ lateMs: number; counts: Counts }> {
  await rig.halts(5, 50);
  const quiet = percentile(await rig.halts(halts, 100), 0.99);
  const { result, counts } = await rig.during(() => rig.halts(halts, EVERY_MS));
  const stormy = percentile(result, 0.99);
  process.stdout.write(
    `storm: a halt takes ${ms(quiet)} at the 99th percentile while it is quiet, ${ms(stormy)} in the storm\n`,
  );
  return { lateMs: stormy - quiet, counts };
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

describe("issue 5, the storm test: 500 connections ask for 10,000 positions, wrong passwords come in, one operator halts", () => {
  it("every halt succeeds, and the 99th percentile is within 50 ms of the quiet one", {
    timeout: 120_000,
  }, async () => {
    const { lateMs, counts } = await lateness(await start(""), HALTS);
    expect(Object.keys(counts)).toEqual(["200", "401", "429"]);
    expect(lateMs).toBeLessThan(MARGIN_MS);
  });

  it("with lanes switched off, the same operator waits", { timeout: 120_000 }, async () => {
    const { lateMs } = await lateness(await start(LANES_OFF), HALTS / 4);
    expect(lateMs).toBeGreaterThan(MARGIN_MS);
  });
});
