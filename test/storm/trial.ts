import { setTimeout as pause } from "node:timers/promises";
import type { Reply } from "./caller.ts";
import type { Flood, Site } from "./flood.ts";
import { openDescriptors, residentMb } from "./memory.ts";
import { type Counts, percentile, type StormRig, times } from "./storm-rig.ts";

const HALTS = 30;
const EVERY_MS = 100;

/** An operator gives up when 30 halts take longer. */
const TIMEOUT_MS = 12_000;

/** A flood begins with connections and with code that never ran before; from then on it is the same. */
const LEAD_MS = 1_000;

/** How long the memory may take to be given back. */
const RETURN_MS = 10_000;
const LOOK_MS = 250;

const ELSEWHERE = "127.0.0.2";

const READ = { method: "GET", path: "/trading/status" } as const;
const RESUME = { method: "POST", path: "/trading/resume", body: '{"reason":"drill"}' } as const;

/** Megabytes beyond the quiet ones that a flood may take, and that may be held when it is over. */
export const MEMORY_MB = 300;
export const STAYING_MB = 30;
/** Descriptors that may still be open then: some connections are kept for the next request. */
export const STAYING_DESCRIPTORS = 20;

/** What a gateway takes up. */
interface Usage {
  /** Resident memory, and what is held of that when garbage has been collected. */
  readonly residentMb: number;
  readonly heldMb: number;
  readonly descriptors: number;
}

/** What is measured while nothing else happens. */
export interface Quiet {
  /** 99th percentile of the operator's halts, in milliseconds that the machine did not give to others. */
  readonly p99: number;
  readonly reads: number;
  readonly usage: Usage;
}

/** What a flood did to those who are polite. */
export interface Trial {
  readonly site: Site;
  readonly flood: string;
  readonly quiet: Quiet;
  readonly halts: readonly Reply[];
  /** Halts that the engine was given once and the audit tells so. */
  readonly delivered: number;
  /** Of halts, as when it is quiet. */
  readonly median: number;
  readonly p99: number;
  /** The most that the machine gave to others during a halt. */
  readonly takenMs: number;
  readonly reads: readonly Reply[];
  readonly changes: readonly Reply[];
  /** Changes that were done, and have both their records. */
  readonly recorded: number;
  /** Records of refused attempts. */
  readonly refusals: number;
  readonly peakMb: number;
  /** A while after the flood. */
  readonly usage: Usage;
  /** Replies to halts after the flood. */
  readonly later: readonly Reply[];
  readonly logMb: number;
  /** What the flood was answered. */
  readonly answered: Counts;
}

/** Halts and reads while it is quiet; what runs for the first time is not measured. */
export async function measureQuiet(rig: StormRig): Promise<Quiet> {
  await polite(rig, 5);
  const { halts, reads } = await polite(rig, HALTS);
  return { p99: percentile(times(halts), 0.99), reads: reads.length, usage: await usageOf(rig) };
}

/** Lets a flood come, and measures what becomes of halts, reads and memory. */
export async function tryFlood(rig: StormRig, site: Site, flood: Flood, quiet: Quiet): Promise<Trial> {
  const before = await rig.records();
  const logBytes = rig.gateway.logBytes;
  const parts = flood.parts.map((part) => (flood.fromElsewhere ? { ...part, from: ELSEWHERE } : part));
  const { result, counts, peakMb } = await rig.during(
    parts,
    LEAD_MS,
    () => polite(rig, HALTS, flood.change),
    flood.fromEngine,
  );
  rig.gateway.checkRunning();
  const usage = await settledUsage(rig, quiet);
  const { stages, refusals } = await rig.records();
  const atEngine = await rig.haltsAtEngine();
  const later = await rig.halts(3, 0);
  rig.gateway.checkRunning();
  const isRecorded = ({ id }: Reply): boolean => `${stages.get(id)}` === "intent,applied";
  // An engine in the gateway's own process keeps no list.
  const reached = ({ id }: Reply): boolean => atEngine === undefined || atEngine[id] === 1;
  return {
    site,
    flood: flood.name,
    quiet,
    ...result,
    delivered: result.halts.filter((halt) => isRecorded(halt) && reached(halt)).length,
    median: percentile(times(result.halts), 0.5),
    p99: percentile(times(result.halts), 0.99),
    takenMs: Math.max(...result.halts.map(({ takenMs }) => takenMs)),
    recorded: result.changes.filter(isRecorded).length,
    refusals: refusals - before.refusals,
    peakMb,
    usage,
    later,
    logMb: Math.round((rig.gateway.logBytes - logBytes) / 2 ** 20),
    answered: counts,
  };
}

/** Whether a flood has left nothing behind that the next one could be blamed for. */
export async function isQuietAgain(rig: StormRig, quiet: Quiet): Promise<boolean> {
  if (!rig.gateway.isRunning) return false;
  const halts = await rig.halts(5, 0);
  const isPrompt = halts.every(({ status }) => status === 200) && Math.max(...times(halts)) < 2 * quiet.p99;
  const usage = await usageOf(rig);
  return isPrompt && isReturned(usage, quiet) && usage.residentMb - quiet.usage.residentMb < MEMORY_MB / 3;
}

async function usageOf({ gateway }: StormRig): Promise<Usage> {
  const heldMb = await gateway.heldMb();
  return { heldMb, residentMb: residentMb(gateway.pid), descriptors: openDescriptors(gateway.pid) };
}

function isReturned({ heldMb, descriptors }: Usage, { usage }: Quiet): boolean {
  return heldMb - usage.heldMb <= STAYING_MB && descriptors - usage.descriptors <= STAYING_DESCRIPTORS;
}

/** What a gateway takes up when all has been given back, or after a while in any case. */
async function settledUsage(rig: StormRig, quiet: Quiet): Promise<Usage> {
  const deadline = performance.now() + RETURN_MS;
  let usage = await usageOf(rig);
  while (!isReturned(usage, quiet) && performance.now() < deadline) {
    await pause(LOOK_MS);
    usage = await usageOf(rig);
  }
  return usage;
}

interface Replies {
  readonly halts: readonly Reply[];
  readonly reads: readonly Reply[];
  readonly changes: readonly Reply[];
}

/** An operator who halts so many times, somebody who reads meanwhile, and somebody who resumes if it is asked for. */
async function polite(rig: StormRig, count: number, change = false): Promise<Replies> {
  const [reader, deputy] = [rig.caller("reader"), rig.caller("deputy")];
  let ended = false;
  const halting = rig.halts(count, EVERY_MS, TIMEOUT_MS).finally(() => {
    ended = true;
  });
  const [halts, reads, changes] = await Promise.all([
    halting,
    reader.repeat(READ, EVERY_MS, () => ended),
    deputy.repeat(RESUME, 5 * EVERY_MS, () => ended || !change),
  ]);
  for (const caller of [reader, deputy]) caller.close();
  return { halts, reads, changes };
}

/** How often each status, or code of an error, was the reply. */
export function statusesOf(replies: readonly Reply[]): Counts {
  const counts: Record<string, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
