import { readdirSync, readFileSync } from "node:fs";

const NANOSECONDS = 1e6;

/** `USER_HZ` of Linux. */
const TICK_MS = 10;

/** What was scheduled until some moment, in milliseconds. */
interface Moment {
  /** How long the main threads waited for a core. */
  readonly gateway: number;
  readonly engine: number;
  readonly operator: number;
  /** How long the gateway's other threads ran. */
  readonly beside: ReadonlyMap<number, number>;
  /** What the host of a virtual machine gave to others. */
  readonly host: number;
}

/**
 * How much of a halt's time the machine gave to others, which no gateway can do anything about: programs beside the test, and the host of
 * a virtual machine. Without it a test of 50 ms would need a quiet machine.
 */
export class TakenTime {
  readonly #gateway: number;
  readonly #engine: number | undefined;

  constructor(gateway: number, engine: number | undefined) {
    this.#gateway = gateway;
    this.#engine = engine;
  }

  /** Runs something; answers how many of its milliseconds were taken, too. */
  async during<T>(task: () => Promise<T>): Promise<{ result: T; takenMs: number }> {
    const before = this.#moment();
    const result = await task();
    const after = this.#moment();
    // While the gateway waits for one of its own threads, nobody takes anything.
    const ownThreads = [...after.beside].reduce(
      (sum, [thread, ran]) => sum + ran - (before.beside.get(thread) ?? 0),
      0,
    );
    const ofGateway = Math.max(0, after.gateway - before.gateway - ownThreads);
    const ofOthers = after.engine - before.engine + after.operator - before.operator + after.host - before.host;
    return { result, takenMs: ofGateway + ofOthers };
  }

  #moment(): Moment {
    const threads = readdirSync(`/proc/${this.#gateway}/task`).map(Number);
    const others = threads.filter((thread) => thread !== this.#gateway);
    return {
      gateway: scheduled(this.#gateway).waited,
      engine: this.#engine === undefined ? 0 : scheduled(this.#engine).waited,
      operator: scheduled(process.pid).waited,
      beside: new Map(others.map((thread) => [thread, scheduled(this.#gateway, thread).ran])),
      host: hostMs(),
    };
  }
}

/** Milliseconds that a thread ran and waited for a core; zero when it has ended. */
function scheduled(pid: number, thread = pid): { ran: number; waited: number } {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
    return { ran: (ran ?? 0) / NANOSECONDS, waited: (waited ?? 0) / NANOSECONDS };
  } catch {
    return { ran: 0, waited: 0 };
  }
}

/** Milliseconds that the host took from both cores. */
function hostMs(): number {
  const [, ...cores] = readFileSync("/proc/stat", "utf8").split("\ncpu");
  return cores.slice(0, 2).reduce((sum, core) => sum + Number(core.split(/\s+/)[8] ?? 0), 0) * TICK_MS;
}
