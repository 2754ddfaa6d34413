import type { Policy } from "../../core/policy/policy.ts";
import type { AuditSink } from "../../core/records/record.ts";
import type { EngineBus } from "../../engine/serve.ts";
import { Chance } from "../../engine/simulated/random.ts";
import type { ApprovalStore } from "../../policy/approvals.ts";
import { MemoryApprovals } from "../../policy/memory-approvals.ts";
import { twoPerson } from "../../policy/two-person.ts";
import { SLOWEST_WRITE_MS } from "./disk.ts";
import { EngineEnd, type EngineMaker, SLOWEST_REPLY_MS } from "./engine-end.ts";
import { SimulatedGateway } from "./gateway.ts";
import { gatewayName, Journal } from "./journal.ts";
import { Judged, type Violation } from "./oracle/happened.ts";
import { judge } from "./oracle/oracle.ts";
import type { Plan, PlannedEvent, WorldEvent } from "./plan.ts";
import { Machine, type Process } from "./process.ts";
import { Timeline } from "./timeline.ts";

/** Replacements for parts of the world: faults that the oracle has to find. */
export interface Planted {
  /** Between the engine and its bus. */
  bus?(bus: EngineBus): EngineBus;
  /** Between each API and its audit file. */
  sink?(sink: AuditSink): AuditSink;
  /** Changes what is planned. */
  plan?(plan: Plan): Plan;
  /** Whether each gateway has its own memory of approvals, in place of the one that all share. */
  readonly ownApprovals?: boolean;
}

export interface JudgedHistory {
  readonly violations: readonly Violation[];
  readonly lines: Journal["lines"];
}

/** Time after the last event in which everything comes to rest. */
const REST_MS = 45_000;

/** How long the first of two people's commands is remembered. */
const APPROVAL_MS = 300_000;

export async function happen(plan: Plan, engine: EngineMaker, planted: Planted = {}): Promise<JudgedHistory> {
  const world = new World(planted.plan?.(plan) ?? plan, engine, planted);
  await world.run();
  return { violations: world.judged(), lines: world.journal.lines };
}

class World {
  readonly journal: Journal;
  readonly #plan: Plan;
  readonly #timeline = new Timeline();
  readonly #engineMachine: Machine;
  readonly #engine: EngineEnd;
  readonly #machines: readonly Machine[];
  readonly #gateways: readonly SimulatedGateway[];
  /** The engine's clock at the beginning of the world, by its lives. */
  readonly #engineAhead: number[] = [];

  constructor(plan: Plan, engine: EngineMaker, planted: Planted) {
    const random = new Chance(plan.seed ^ 0x5eed);
    const timeline = this.#timeline;
    this.#plan = plan;
    const journal = new Journal(() => timeline.now);
    this.journal = journal;
    const [engineAhead = 0, ...aheads] = plan.aheadMs.toReversed();
    this.#engineMachine = new Machine("engine", engineAhead);
    this.#engineAhead.push(this.#engineMachine.wall(0));
    const machine = this.#engineMachine;
    const bus = planted.bus ?? ((it: EngineBus) => it);
    this.#engine = new EngineEnd({ timeline, random: new Chance(random.seed()), machine, journal, engine, bus });
    this.#machines = aheads.toReversed().map((ahead, number) => new Machine(gatewayName(number), ahead));
    const policies = this.#policies(planted);
    this.#gateways = this.#machines.map(
      (machine, number) =>
        new SimulatedGateway({
          number,
          timeline,
          machine,
          wire: plan.wire,
          seed: random.seed(),
          engine: this.#engine,
          journal,
          policy: policies[number],
          sink: planted.sink ?? ((it) => it),
        }),
    );
  }

  async run(): Promise<void> {
    const timeline = this.#timeline;
    await this.#engine.start();
    for (const gateway of this.#gateways) await gateway.start();
    let end = 0;
    for (const event of this.#plan.events) {
      timeline.at(event.at, () => this.#happen(event));
      end = Math.max(end, event.at + (event.kind === "command" ? event.bodyMs : Math.abs(event.ms)));
    }
    await timeline.runUntil(end + REST_MS);
    for (const process of [this.#engine.process, ...this.#gateways.map((gateway) => gateway.process)]) process.kill();
  }

  judged(): Violation[] {
    const { journal } = this;
    return judge({
      plan: this.#plan,
      journal,
      commands: [...journal.commands.values()].map((facts) => new Judged(facts, journal.troubles)),
      files: this.#gateways.map(({ disk }) => disk.text),
      engineAhead: this.#engineAhead,
    });
  }

  #policies({ ownApprovals = false }: Planted): Policy[] {
    if (!this.#plan.twoPerson) return [];
    const now = (): number => this.#timeline.now;
    const clock = { now, monotonic: now, schedule: () => () => {} };
    const make = (): ApprovalStore => new MemoryApprovals(clock, APPROVAL_MS);
    const shared = make();
    return this.#machines.map(({ name: gateway }) =>
      twoPerson({
        operations: ["adjustPosition"],
        withinMs: APPROVAL_MS,
        store: ownApprovals ? make() : shared,
        gateway,
        clock,
      }),
    );
  }

  #happen(event: PlannedEvent): void {
    switch (event.kind) {
      case "command":
        this.#gateways[event.gateway]?.receive(event);
        return;
      case "pause":
        this.#pause(event.process, event);
        return;
      case "kill":
        this.#kill(event.process, event);
        return;
      case "clock step":
        this.#step(event.process, event.ms);
        return;
      case "freeze":
      case "cut":
        this.#disturb(event);
        return;
      case "slow disk":
      case "full disk":
        this.#spoil(event);
        return;
      default:
        this.#upset(event);
    }
  }

  #pause(which: number | "engine", { ms, chance }: WorldEvent): void {
    const process = this.#process(which);
    if (!process?.isAlive || process.pausedAt !== undefined) return;
    const end = this.journal.trouble("paused", which, `${gatewayName(which)} is paused for ${seconds(ms)}`);
    process.pause();
    this.#timeline.after(ms, () => {
      end();
      process.continue(chance < 0.5);
    });
  }

  #kill(which: number | "engine", { ms }: WorldEvent): void {
    const killed = which === "engine" ? this.#engine : this.#gateways[which];
    if (!killed?.process.isAlive) return;
    const end = this.journal.trouble("dead", which, `${gatewayName(which)} is killed, and starts after ${seconds(ms)}`);
    killed.kill();
    if (which === "engine" && this.#plan.wire === "websocket")
      for (const { links } of this.#gateways) for (const link of Object.values(links)) link.cut();
    this.#timeline.after(ms, () => {
      end();
      // The engine's clock begins anew with each start.
      if (which === "engine") this.#engineAhead.push(this.#engineMachine.wall(0));
      void killed.start();
    });
  }

  #step(which: number | "engine", ms: number): void {
    const machine = which === "engine" ? this.#engineMachine : this.#machines[which];
    if (!machine) return;
    this.journal.trouble("clock step", which, `the clock of ${gatewayName(which)} is set by ${seconds(ms)}`)();
    machine.aheadMs += ms;
  }

  #disturb(event: Extract<WorldEvent, { kind: "freeze" | "cut" }>): void {
    const link = this.#gateways[event.gateway]?.links[event.lane];
    const what = `the link of ${gatewayName(event.gateway)} for ${event.lane}`;
    if (event.kind === "cut") {
      this.journal.say(`${what} breaks`);
      link?.cut();
      return;
    }
    const thawed = this.journal.trouble(
      `${event.lane} frozen`,
      event.gateway,
      `${what} hangs for ${seconds(event.ms)}`,
    );
    this.#timeline.after(event.ms, thawed);
    link?.freeze(event.ms);
  }

  #spoil({ kind, gateway, ms }: Extract<WorldEvent, { gateway: number }>): void {
    const disk = this.#gateways[gateway]?.disk;
    if (disk?.state !== "well" || (kind !== "slow disk" && kind !== "full disk")) return;
    disk.state = kind;
    const end = this.journal.trouble("bad disk", gateway, `${gatewayName(gateway)} has a ${kind} for ${seconds(ms)}`);
    this.#timeline.after(ms, () => {
      disk.state = "well";
      // What was being written then may take its time.
      this.#timeline.after(SLOWEST_WRITE_MS, end);
    });
  }

  #upset({ kind, ms }: WorldEvent): void {
    const engine = this.#engine;
    if (engine.mood !== "well") return;
    if (kind !== "slow engine" && kind !== "refusing engine" && kind !== "failing engine") return;
    engine.mood = kind;
    const end = this.journal.trouble("engine trouble", "engine", `${kind} for ${seconds(ms)}`);
    this.#timeline.after(ms, () => {
      engine.mood = "well";
      this.#timeline.after(SLOWEST_REPLY_MS, end);
    });
  }

  #process(which: number | "engine"): Process | undefined {
    return which === "engine" ? this.#engine.process : this.#gateways[which]?.process;
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
