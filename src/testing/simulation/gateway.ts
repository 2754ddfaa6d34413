import { EngineClock } from "../../../transports/link/engine-clock.ts";
import { SeparateLanes } from "../../../transports/link/separate-lanes.ts";
import { GroupedAuditFile } from "../../audit/audit-file.ts";
import { AdminApi } from "../../core/admin-api.ts";
import { AdminError } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { PERMISSIONS, principal } from "../../core/principal.ts";
import type { AuditRecord, AuditSink } from "../../core/records/record.ts";
import { Chance } from "../../engine/simulated/random.ts";
import { Disk } from "./disk.ts";
import { type CommandFacts, gatewayName, type Journal } from "./journal.ts";
import { type FarEnd, SimulatedLink } from "./link.ts";
import type { CommandEvent, Plan } from "./plan.ts";
import { type Machine, Process } from "./process.ts";
import type { Timeline } from "./timeline.ts";

export interface SimulatedGatewayOptions {
  readonly number: number;
  readonly timeline: Timeline;
  readonly machine: Machine;
  readonly wire: Plan["wire"];
  readonly seed: number;
  readonly engine: FarEnd;
  readonly journal: Journal;
  readonly policy: Policy | undefined;
  /** Stands between the API and its audit file. */
  readonly sink: (sink: AuditSink) => AuditSink;
}

/** Failures are what a history is made of; the journal has them. */
const QUIET: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** One life of a gateway's process. */
interface Life {
  readonly process: Process;
  readonly api: AdminApi;
  readonly links: Readonly<Record<"commands" | "reads", SimulatedLink>>;
}

/** A gateway: `AdminApi`, its two links and its audit file, started again after each kill. */
export class SimulatedGateway {
  readonly disk: Disk;
  readonly #options: SimulatedGatewayOptions;
  readonly #random: Chance;
  #life!: Life;
  #lives = 0;

  constructor(options: SimulatedGatewayOptions) {
    this.#options = options;
    this.#random = new Chance(options.seed);
    this.disk = new Disk(new Chance(this.#random.seed()));
  }

  get process(): Process {
    return this.#life.process;
  }

  get links(): Life["links"] {
    return this.#life.links;
  }

  async start(): Promise<void> {
    const { timeline, machine, policy, sink, number, journal } = this.#options;
    journal.begins(number);
    const process = new Process(machine, timeline);
    const { clock } = process;
    const links = this.#linksOf(process);
    const history = asIterable(this.disk.records);
    const file = this.disk.open(process);
    const records = sink(new GroupedAuditFile("audit.jsonl", file, { release: async () => {} }, history));
    const api = new AdminApi({
      transport: new SeparateLanes(links.commands, links.reads),
      audit: records,
      gateway: gatewayName(number),
      clock,
      log: QUIET,
      ...(policy && { authorize: policy }),
    });
    this.#lives += 1;
    this.#life = { process, api, links };
    await api.start();
  }

  kill(): void {
    this.#life.process.kill();
    this.disk.tear();
  }

  /** The first bytes of a command come to the machine. */
  receive(command: CommandEvent): void {
    const { journal } = this.#options;
    const { process, api } = this.#life;
    if (!process.isAlive) {
      journal.say(`${command.user} -> ${gatewayName(command.gateway)}: ${command.id} is not taken`);
      return;
    }
    const facts = journal.came(command, this.#lives, process.pausedAt);
    process.run(() => {
      facts.latest = this.#options.timeline.now;
      void this.#invoke(api, process, facts);
    });
  }

  async #invoke(api: AdminApi, process: Process, facts: CommandFacts): Promise<void> {
    const { id, operation, input, user, bodyMs } = facts.command;
    const { journal } = this.#options;
    const read = (): unknown =>
      bodyMs === 0 ? input : new Promise((resolve) => process.clock.schedule(bodyMs, () => resolve(input)));
    const context = { requestId: id, arrival: api.arrive() };
    try {
      await api.invoke(operation, { known: {}, read }, principal(user, PERMISSIONS), context);
      if (process.isAlive) journal.told(facts, { code: "OK", outcome: "applied", message: "" });
    } catch (thrown) {
      const { code, outcome, message, cause } = AdminError.from(thrown);
      const text = code === "INTERNAL" ? `${message}: ${cause}` : message;
      if (process.isAlive) journal.told(facts, { code, outcome, message: text });
    }
  }

  #linksOf(process: Process): Life["links"] {
    const { timeline, wire, engine, journal, number } = this.#options;
    const engineClock = new EngineClock(() => {}, process.clock);
    const link = (lane: "commands" | "reads"): SimulatedLink =>
      new SimulatedLink({
        timeline,
        random: new Chance(this.#random.seed()),
        process,
        wire,
        engineClock,
        engine,
        journal,
        gateway: number,
        lane,
      });
    return { commands: link("commands"), reads: link("reads") };
  }
}

async function* asIterable(records: readonly AuditRecord[]): AsyncGenerator<AuditRecord> {
  yield* records;
}
