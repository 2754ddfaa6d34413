import { OwnClock } from "../../../transports/json-rpc/own-clock.ts";
import { encodeReply, replyBody } from "../../../transports/json-rpc/replies.ts";
import { decodeParams, readRequest } from "../../../transports/json-rpc/requests.ts";
import type { Clock } from "../../core/clock.ts";
import type { EngineRequest } from "../../core/engine/transport.ts";
import { type BusMethod, busRecord, operations } from "../../core/operations/table.ts";
import { isThenable } from "../../core/values/basics.ts";
import { type Engine, EngineRejection } from "../../engine/engine.ts";
import { type EngineBus, type EngineHandler, serveEngine } from "../../engine/serve.ts";
import type { Chance } from "../../engine/simulated/random.ts";
import { clockOf, type Journal } from "./journal.ts";
import type { FarEnd } from "./link.ts";
import { type Machine, Process } from "./process.ts";
import type { Timeline } from "./timeline.ts";

/** Makes the engine under test for one start of it. */
export type EngineMaker = (clock: Clock) => Engine;

export interface EngineEndOptions {
  readonly timeline: Timeline;
  readonly random: Chance;
  readonly machine: Machine;
  readonly journal: Journal;
  readonly engine: EngineMaker;
  /** Stands between the engine and its bus. */
  readonly bus: (bus: EngineBus) => EngineBus;
}

/** The longest that a slow engine takes for a reply. */
export const SLOWEST_REPLY_MS = 12_000;

export type Mood = "well" | "slow engine" | "refusing engine" | "failing engine";

/** The engine's process behind `serveEngine`: what comes is handed to it in order, and what it carries out is noted. */
export class EngineEnd implements FarEnd {
  mood: Mood = "well";
  readonly #options: EngineEndOptions;
  #process: Process;
  #life = 0;
  /** The time that replies tell, as a bus has it. */
  #clock!: OwnClock;
  #handler: EngineHandler | undefined;

  constructor(options: EngineEndOptions) {
    this.#options = options;
    this.#process = new Process(options.machine, options.timeline);
  }

  get process(): Process {
    return this.#process;
  }

  get isUp(): boolean {
    return this.#process.isAlive && this.#handler !== undefined;
  }

  async start(): Promise<void> {
    const { machine, timeline, engine, bus } = this.#options;
    const process = new Process(machine, timeline);
    this.#process = process;
    this.#life += 1;
    this.#clock = new OwnClock(process.clock, clockOf(this.#life));
    const inner: EngineBus = {
      listen: (handler) => {
        this.#handler = handler;
      },
    };
    await serveEngine(this.#observed(engine(process.clock), process), bus(inner), process.clock);
  }

  kill(): void {
    this.#process.kill();
    this.#handler = undefined;
  }

  receive(text: string, reply: (text: string) => void): void {
    const { id, method, params } = readRequest(JSON.parse(text));
    if (!this.isUp) {
      reply(JSON.stringify({ id, noResponders: true }));
      return;
    }
    const process = this.#process;
    process.run(() => void this.#serve(id, method, params, process, reply));
  }

  async #serve(
    id: number | string,
    method: string,
    params: unknown,
    process: Process,
    send: (text: string) => void,
  ): Promise<void> {
    const { journal } = this.#options;
    const request = decodeParams(method, params);
    const receipt = journal.received(request, this.#life);
    const reply = this.#handler && (await this.#clock.hand(request, this.#handler));
    if (!reply || !process.isAlive) return;
    journal.replied(request.context.requestId, receipt, reply);
    process.run(() => send(encodeReply(id, replyBody(reply), this.#clock.told(request))));
  }

  /** The engine, with each of its commands noted, and in its mood. */
  #observed(engine: Engine, process: Process): Engine {
    const life = this.#life;
    return new Proxy(engine, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function" || !Object.hasOwn(operations, name)) return method;
        const { lane } = busRecord(operations, name as BusMethod);
        const call = (input: unknown, context: EngineRequest["context"]): unknown =>
          method.call(target, input, context);
        if (lane === "read") return call;
        return (input: unknown, context: EngineRequest["context"]) =>
          this.#carryOut(() => call(input, context), context.requestId, life, process);
      },
    });
  }

  #carryOut(act: () => unknown, requestId: string, life: number, process: Process): unknown {
    const { journal, random } = this.#options;
    if (this.mood === "refusing engine") throw new EngineRejection("rejected", "not now");
    const failsBefore = this.mood === "failing engine" && random.chance(0.5);
    if (failsBefore) throw new Error("The engine failed before it did anything");
    const result = act();
    const done = (output: unknown): unknown => {
      if (this.mood === "failing engine") throw new Error("The engine failed after it did what was asked");
      return output;
    };
    const noted = (output: unknown): unknown => {
      journal.effect(requestId, life);
      return output;
    };
    if (isThenable(result)) return Promise.resolve(result).then(noted).then(done);
    noted(result);
    if (this.mood !== "slow engine") return done(result);
    const late = random.between(50, SLOWEST_REPLY_MS);
    return new Promise((resolve) => process.clock.schedule(late, () => resolve(result))).then(done);
  }
}
