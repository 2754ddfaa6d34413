import type { OperationName } from "../../core/operations/table.ts";
import { Chance } from "../../engine/simulated/random.ts";
import type { SessionLandmark } from "../conformance/engine-fixture.ts";

/** A command that an operator sends to a gateway. */
export interface CommandEvent {
  readonly kind: "command";
  readonly at: number;
  readonly id: string;
  readonly gateway: number;
  readonly user: string;
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
  /** Milliseconds after its first bytes at which its body is complete. */
  readonly bodyMs: number;
}

/** An event that affects a gateway, by its number, or the engine. */
export type WorldEvent = { readonly at: number; readonly ms: number; readonly chance: number } & (
  | { readonly kind: "pause" | "kill"; readonly process: number | "engine" }
  /** A connection between a gateway and the engine hangs, or breaks. */
  | { readonly kind: "freeze" | "cut"; readonly gateway: number; readonly lane: "commands" | "reads" }
  | { readonly kind: "slow disk" | "full disk"; readonly gateway: number }
  /** The wall clock is set: by `ms`, which may be negative. */
  | { readonly kind: "clock step"; readonly process: number | "engine" }
  /** The engine does what is asked and replies late; refuses; or fails, having done it or not. */
  | { readonly kind: "slow engine" | "refusing engine" | "failing engine" }
);

export type PlannedEvent = CommandEvent | WorldEvent;

/** A history before it happens: all of it follows from this. */
export interface Plan {
  readonly seed: number;
  readonly gateways: number;
  /** How the links behave: whether a lost connection loses the requests in it. */
  readonly wire: "websocket" | "nats";
  /** By how much the wall clocks are ahead, of the gateways and then of the engine. */
  readonly aheadMs: readonly number[];
  /** Whether adjustments need two people. */
  readonly twoPerson: boolean;
  readonly events: readonly PlannedEvent[];
}

/** Targets of a history, such as the landmarks of the demo. */
export interface Targets {
  /** Projection path of at least two segments. */
  readonly haltPath: string;
  /** Paths of positions to adjust. */
  readonly positions: { readonly paths: readonly string[] };
  /** Name of a trade connector, to be disabled and enabled. */
  readonly connector: string;
  /** Name of an algorithm, to be disabled and enabled. */
  readonly algorithm: string;
  /** FIX sessions to disable, to enable and to disconnect. */
  readonly sessions: { readonly disabled: readonly SessionLandmark[] };
}

const MAX_GATEWAYS = 3;
const USERS = ["alice", "bob"];

type Choice = Pick<CommandEvent, "operation" | "input">;

/** Chooses commands: few targets, so that they meet. */
class Commands {
  readonly #random: Chance;
  readonly #paths: readonly string[];
  readonly #targets: Targets;

  constructor(random: Chance, targets: Targets) {
    this.#random = random;
    this.#targets = targets;
    const parent = targets.haltPath.replace(/\/[^/]*$/, "");
    this.#paths = ["", targets.haltPath, targets.haltPath, parent, ...targets.positions.paths.slice(0, 1)];
  }

  next(): Choice {
    const random = this.#random;
    const kind = random.next();
    if (kind < 0.6) return this.#trading();
    if (kind < 0.78) return this.#adjustment();
    if (kind < 0.9) return this.#service();
    return this.#session();
  }

  #trading(): Choice {
    const operation = this.#random.pick(["haltTrading", "resumeTrading"] as const);
    return { operation, input: { projectionPath: this.#random.pick(this.#paths), reason: "simulated" } };
  }

  #adjustment(): Choice {
    const projectionPath = this.#random.pick(this.#targets.positions.paths);
    const size = this.#random.pick(["1", "-2"]);
    return { operation: "adjustPosition", input: { projectionPath, size, relative: true } };
  }

  #service(): Choice {
    const operation = this.#random.pick(["disableService", "enableService"] as const);
    return { operation, input: { name: this.#random.pick([this.#targets.connector, this.#targets.algorithm]) } };
  }

  #session(): Choice {
    const operation = this.#random.pick(["disableFixSession", "enableFixSession", "disconnectFixSession"] as const);
    return { operation, input: { ...this.#random.pick(this.#targets.sessions.disabled) } };
  }
}

export function planned(seed: number, targets: Targets): Plan {
  const random = new Chance(seed);
  const gateways = random.whole(1, MAX_GATEWAYS);
  const wire = random.pick(["websocket", "nats"] as const);
  const aheadMs = Array.from({ length: gateways + 1 }, () =>
    random.chance(0.5) ? 0 : random.pick([-800, 700, 200_000]),
  );
  const commands = commandEvents(random, gateways, targets);
  const last = commands.at(-1)?.at ?? 0;
  const faults = Array.from({ length: random.whole(0, 6) }, () => worldEvent(random, gateways, last));
  const events = [...commands, ...faults].toSorted((a, b) => a.at - b.at);
  return { seed, gateways, wire, aheadMs, twoPerson: random.chance(0.25), events };
}

function commandEvents(random: Chance, gateways: number, targets: Targets): CommandEvent[] {
  const commands = new Commands(random, targets);
  let at = random.between(1_000, 2_000);
  return Array.from({ length: random.whole(5, 30) }, (_, index) => {
    at += random.chance(0.6) ? random.between(0, 300) : random.between(300, 6_000);
    return {
      kind: "command",
      at,
      id: `c${index + 1}`,
      gateway: random.whole(0, gateways - 1),
      user: random.pick(USERS),
      ...commands.next(),
      bodyMs: random.chance(0.15) ? random.between(10, 6_000) : 0,
    };
  });
}

function worldEvent(random: Chance, gateways: number, last: number): WorldEvent {
  const at = random.between(500, last);
  const gateway = random.whole(0, gateways - 1);
  const process = random.chance(0.25) ? "engine" : gateway;
  const common = {
    at,
    chance: random.next(),
    ms: random.chance(0.6) ? random.between(50, 9_000) : random.between(9_000, 30_000),
  };
  const kind = random.next();
  if (kind < 0.2) return { ...common, kind: "pause", process };
  if (kind < 0.5) return { ...common, kind: "freeze", gateway, lane: random.chance(0.8) ? "commands" : "reads" };
  if (kind < 0.6) return { ...common, kind: "cut", gateway, lane: random.pick(["commands", "reads"]) };
  if (kind < 0.68) return { ...common, kind: "kill", process };
  if (kind < 0.78) return { ...common, kind: random.pick(["slow disk", "full disk"]), gateway };
  if (kind < 0.86)
    return { ...common, kind: "clock step", process, ms: random.pick([-30_000, -1_500, -300, 400, 2_000, 60_000]) };
  return { ...common, kind: random.pick(["slow engine", "refusing engine", "failing engine"]) };
}
