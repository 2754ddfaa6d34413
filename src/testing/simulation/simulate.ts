import { functionLike, ifGiven, numberLike, OBJECT, optionsOf } from "../../core/options.ts";
import { loadInstallation } from "../../engine/simulated/installation.ts";
import { Chance } from "../../engine/simulated/random.ts";
import { SimulatedEngine } from "../../engine/simulated/simulated-engine.ts";
import { sampleInstallation } from "../../files/package-files.ts";
import { DEMO_LANDMARKS } from "../conformance/engine-fixture.ts";
import type { EngineMaker } from "./engine-end.ts";
import { happen, type JudgedHistory, type Planted } from "./history.ts";
import { type Plan, planned, type Targets } from "./plan.ts";

export interface SimulationOptions {
  /** Equal seeds make equal histories. */
  readonly seed: number;
  /** How many histories; the first one has the seed itself, so that one that failed is repeated alone. */
  readonly histories: number;
  /** Makes an engine for each of its starts, on the held clock; the simulated engine unless given. */
  readonly engine?: EngineMaker;
  /** Targets in the installation of that engine; those of the sample installation unless given. */
  readonly targets?: Targets;
}

const checked = optionsOf<SimulationOptions>("simulate", {
  seed: numberLike("1"),
  histories: numberLike("1_000"),
  engine: ifGiven(functionLike("(clock) => new SimulatedEngine(installation, { clock })")),
  targets: ifGiven(OBJECT),
});

export interface SimulationReport {
  /** How many histories were tried: all, or as many as it took to find one that breaks a promise. */
  readonly histories: number;
  /** The history that broke a promise; absent when all kept them. */
  readonly failure?: SimulationFailure;
}

/** A history that breaks a promise. */
export interface SimulationFailure {
  /** Makes the history again: `simulate({ seed, histories: 1 })`. */
  readonly seed: number;
  /** Broken promises, a sentence each. */
  readonly problems: readonly string[];
  /** The shortest history that was found to fail in the same way, a line for each thing that happens. */
  readonly history: string;
}

/**
 * Lets gateways, links, an engine, operators, clocks and disks live through histories in one process, on a held clock: processes stand
 * still, are killed and start again, links freeze and break, disks are slow or full, clocks are set. After each history it judges what
 * callers were told, what the engine did in which order, and what is on record (`docs/test/simulation.md`). Stops at the first history that
 * breaks a promise, and makes it shorter.
 *
 * @example
 * const { failure } = await simulate({ seed: 1, histories: 1_000, engine: (clock) => new MyEngine(clock) });
 * if (failure) throw new Error(`${failure.problems.join("\n")}\n\n${failure.history}\nseed ${failure.seed}`);
 */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  return simulateWith({}, checked(options));
}

/** The same with faults in the world that the oracle has to find; `rule` alone counts, where it is given. */
export async function simulateWith(
  planted: Planted,
  options: SimulationOptions,
  rule?: string,
): Promise<SimulationReport> {
  const { seed, histories, targets = DEMO_LANDMARKS } = options;
  const engine = options.engine ?? (await sampleEngine());
  const seeds = new Chance(seed);
  for (let count = 1; count <= histories; count += 1) {
    const own = count === 1 ? seed : seeds.seed();
    const plan = planned(own, targets);
    const outcome = await happen(plan, engine, planted);
    const broken = outcome.violations.find((violation) => rule === undefined || violation.rule === rule);
    if (!broken) continue;
    return { histories: count, failure: await described(plan, broken.rule, (other) => happen(other, engine, planted)) };
  }
  return { histories };
}

async function sampleEngine(): Promise<EngineMaker> {
  const installation = await loadInstallation(sampleInstallation());
  return (clock) => new SimulatedEngine(installation, { clock });
}

async function described(
  plan: Plan,
  broken: string,
  happens: (plan: Plan) => Promise<JudgedHistory>,
): Promise<SimulationFailure> {
  const shortest = await shrunk(plan, async (other) => {
    const { violations } = await happens(other);
    return violations.some(({ rule }) => rule === broken);
  });
  const { violations, lines } = await happens(shortest);
  const problems = violations.map(({ rule, message }) => `Broken: ${rule}. ${message}`);
  const history = lines.map(({ at, text }) => `${(at / 1_000).toFixed(4).padStart(9)} s  ${text}`).join("\n");
  return { seed: plan.seed, problems, history };
}

/** Histories that are tried for one that is shorter. */
const MAX_TRIALS = 200;

/** Leaves out of a history what it does not need to fail: halves first, then quarters, down to single events. */
async function shrunk(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let shortest = plan;
  let trials = 0;
  for (let size = Math.ceil(plan.events.length / 2); size >= 1; ) {
    const shorter = candidates(shortest, size);
    let found: Plan | undefined;
    for (const candidate of shorter) {
      if (trials >= MAX_TRIALS) return shortest;
      trials += 1;
      if (!(await fails(candidate))) continue;
      found = candidate;
      break;
    }
    if (found) shortest = found;
    else size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return shortest;
}

function candidates(plan: Plan, size: number): Plan[] {
  const { events } = plan;
  const starts = Array.from({ length: Math.ceil(events.length / size) }, (_, index) => index * size);
  return starts.map((start) => ({
    ...plan,
    events: events.filter((_, index) => index < start || index >= start + size),
  }));
}
