import { appendFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { EVERYTHING } from "../support/extent.ts";
import { ALL_SITES, type Flood, SITES, type Site } from "./flood.ts";
import { FLOODS } from "./floods.ts";
import { StormRig } from "./storm-rig.ts";
import {
  isQuietAgain,
  MEMORY_MB,
  measureQuiet,
  type Quiet,
  STAYING_DESCRIPTORS,
  STAYING_MB,
  statusesOf,
  type Trial,
  tryFlood,
} from "./trial.ts";

/**
 * `all`: every flood on every site, which takes the better part of an hour; otherwise each on one site (`npm run test:all`), or one of each
 * class (`npm test`). One alone: `FLOODS=all npx vitest run --project storm test/storm/floods.test.ts -t "websocket, plain a Forwarded header"`.
 */
const ALL = process.env.FLOODS === "all";

/** Where a file is named, each trial is added to it as a line of JSON. */
const REPORT = process.env.FLOODS_REPORT;

const MARGIN_MS = 50;

/** Of 30 halts the slowest counts, and on a machine with other work one is late by itself now and then; what a flood does, it does twice. */
const RETRIES = 2;

/** Somebody polite may be refused, or find no place for a new connection, this part of the times while others ask too much. */
const REFUSED_PART = 0.1;

/** An engine that floods its links has them closed: so many of the halts may find none, and are refused as not sent. */
const UNLINKED_PART = 0.5;

/** One by one up to 20 a minute, for a user or two, over the end of a minute perhaps; the rest as numbers. */
const REFUSAL_RECORDS = 100;

beforeAll(requireCommand);

function floodsOn(site: Site): readonly Flood[] {
  if (ALL) return FLOODS.filter(({ sites = SITES }) => sites.includes(site));
  return FLOODS.filter(({ shortRun, standsFor }) => shortRun === site && (EVERYTHING || standsFor !== undefined));
}

interface Started {
  readonly rig: StormRig;
  readonly quiet: Quiet;
}

async function start(site: Site): Promise<Started> {
  const rig = await StormRig.start(site);
  return { rig, quiet: await measureQuiet(rig) };
}

function report(trial: Trial): void {
  const { site, flood, quiet, halts, delivered, median, p99, takenMs, reads, usage } = trial;
  const parts = [
    `${flood} (${nameOf(site)}):`,
    `halts ${ms(quiet.p99)} quiet, ${ms(median)} median and ${ms(p99)} p99 in the flood, ${ms(takenMs)} at most taken by others;`,
    `${delivered} of ${halts.length} delivered ${JSON.stringify(statusesOf(halts))};`,
    `reads ${JSON.stringify(statusesOf(reads))} (${quiet.reads} quiet);`,
    `resident ${quiet.usage.residentMb} MB quiet, ${trial.peakMb} peak, ${usage.residentMb} after;`,
    `held ${quiet.usage.heldMb} MB quiet, ${usage.heldMb} after;`,
    `descriptors ${quiet.usage.descriptors} quiet, ${usage.descriptors} after;`,
    `log ${trial.logMb} MB; refusals ${trial.refusals}; flood ${JSON.stringify(trial.answered)}`,
  ];
  process.stdout.write(`flood: ${parts.join(" ")}\n`);
  if (REPORT) appendFileSync(REPORT, `${JSON.stringify(trial)}\n`);
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function nameOf({ engine, simulator, tls, tokens }: Site): string {
  return `${simulator ? "simulated " : ""}engine ${engine}, ${tls ? "TLS" : "plain"}${tokens ? ", tokens" : ""}`;
}

function expectStopsPass({ quiet, halts, delivered, p99 }: Trial, { fromEngine }: Flood): void {
  const { 200: done = 0, 503: unlinked = 0, ...others } = statusesOf(halts);
  expect.soft(others, "other replies to halts").toEqual({});
  expect.soft(done + unlinked, "halts").toBe(30);
  expect.soft(unlinked, "halts without a link").toBeLessThanOrEqual(fromEngine ? UNLINKED_PART * 30 : 0);
  expect.soft(delivered, "halts delivered once").toBe(done);
  expect.soft(p99 - quiet.p99, "lateness of halts").toBeLessThan(MARGIN_MS);
}

function expectPoliteIsServed({ quiet, reads, changes, recorded }: Trial): void {
  const { 200: served = 0, 429: refused = 0, ECONNRESET: dropped = 0, ...others } = statusesOf(reads);
  expect.soft(others, "other replies to a polite reader").toEqual({});
  expect.soft(refused + dropped, "refusals of a polite reader").toBeLessThanOrEqual(REFUSED_PART * reads.length);
  expect.soft(served, "replies to a polite reader").toBeGreaterThan(quiet.reads / 3);
  // A halt may come while a change waits for its record.
  const done = changes.filter(({ message }) => !message?.startsWith("A stop (haltTrading"));
  expect.soft(Object.keys(statusesOf(done)), "changes by status").toEqual(done.length > 0 ? ["200"] : []);
  expect.soft(recorded, "changes with both records").toBe(done.length);
}

function expectBounded({ quiet, usage, peakMb, refusals, later }: Trial): void {
  const { residentMb, heldMb, descriptors } = quiet.usage;
  expect.soft(peakMb - residentMb, "memory that a flood takes").toBeLessThan(MEMORY_MB);
  expect.soft(usage.heldMb - heldMb, "memory that stays").toBeLessThanOrEqual(STAYING_MB);
  expect.soft(usage.descriptors - descriptors, "descriptors that stay").toBeLessThanOrEqual(STAYING_DESCRIPTORS);
  expect.soft(statusesOf(later), "halts after the flood").toEqual({ 200: 3 });
  expect.soft(refusals, "records of refusals").toBeLessThanOrEqual(REFUSAL_RECORDS);
}

describe("D-LOAD 2, D-LOG 9, D-ENG 2, D-ENG 38, D-LINK 21: whatever arrives, stops get through once, the polite are served, memory and records are bounded", () => {
  describe.each(ALL_SITES.filter((site) => floodsOn(site).length > 0).map((site) => [nameOf(site), site] as const))(
    "%s",
    (_, site) => {
      let started: Started | undefined;

      /** The gateway of the last flood, or another one if that is not as it was. */
      const gateway = async (): Promise<Started> => {
        if (started && !(await isQuietAgain(started.rig, started.quiet))) await close();
        started ??= await start(site);
        return started;
      };
      const close = async (): Promise<void> => {
        await started?.rig.close();
        started = undefined;
      };
      afterAll(close);

      it.each(floodsOn(site).map((flood) => [flood.name, flood] as const))(
        "%s",
        { timeout: 90_000, retry: RETRIES },
        async (_name, flood) => {
          const { rig, quiet } = await gateway();
          const trial = await tryFlood(rig, site, flood, quiet);
          report(trial);
          expectStopsPass(trial, flood);
          // Reads have a link of their own, which is closed, too, and waits longer for the next attempt.
          if (!flood.fromEngine) expectPoliteIsServed(trial);
          expectBounded(trial);
        },
      );
    },
  );
});
