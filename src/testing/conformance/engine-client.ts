import assert from "node:assert/strict";
import type { z } from "zod";
import {
  type EngineContext,
  type EngineRefusal,
  type EngineReply,
  type EngineTransport,
  TransportError,
} from "../../core/engine/transport.ts";
import { engineReads } from "../../core/operations/engine-reads.ts";
import type { Lane } from "../../core/operations/operation.ts";
import {
  type EngineInput,
  type Input,
  type OperationName,
  type Output,
  operationRecord,
  operations,
} from "../../core/operations/table.ts";
import { fault } from "../../core/validation/faults.ts";
import { NotApplicable } from "./applicable.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";
import type { Offer } from "./offer.ts";
import type { WaitLimit } from "./time-limit.ts";

const DEADLINE_MS = 60_000;

/** How long the caller waits for a reply, as a request says it. */
export type TimeForReply = Pick<EngineContext, "deadline" | "timeLeft" | "arrived" | "arrivedWithin">;

/**
 * Asks the engine under test as a gateway does, and checks its replies as a gateway does. What the engine does not have ends the case as
 * not applicable.
 */
export class EngineClient {
  readonly timeLimit: WaitLimit;
  readonly #transport: EngineTransport;
  readonly #offer: Offer;
  #count = 0;

  constructor(transport: EngineTransport, offer: Offer, timeLimit: WaitLimit) {
    this.timeLimit = timeLimit;
    this.#transport = transport;
    this.#offer = offer;
  }

  /** Sends an input as it is, unchecked. */
  async ask(method: OperationName, input: unknown, time: TimeForReply = enoughTime()): Promise<EngineReply> {
    this.#offer.check(method);
    const reply = await this.#exchange(method, input, time, operationRecord(operations, method).lane);
    if (!reply.ok && reply.refusal === "unsupported") this.#offer.unsupported(method, reply.message);
    return reply;
  }

  /** Asks for a method that the engine may not have, as a read without input; a broker may refuse it in the engine's place. */
  async askAny(method: string): Promise<EngineReply | TransportError> {
    try {
      return await this.#exchange(method as OperationName, {}, enoughTime(), "read");
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
  }

  async #exchange(method: OperationName, input: unknown, time: TimeForReply, lane: Lane): Promise<EngineReply> {
    this.#count += 1;
    const context = { user: "conformance", requestId: `conformance-${this.#count}`, ...time };
    const { reply } = this.#transport.exchange({ method, input, lane, context });
    return this.timeLimit.settled(`a reply to ${method}`, reply);
  }

  /** Runs an operation and returns its result, which has to conform to the operation's schema. */
  async call<K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> {
    const reply = await this.ask(name, complete(name, input));
    assert.ok(reply.ok, `${name} ${JSON.stringify(input)}: expected a result, but it was refused: ${replyText(reply)}`);
    return conforming(name, operationRecord(operations, name).output, reply.result) as Output<K>;
  }

  /** Runs an operation that has to be refused so; returns the reason. */
  async refused<K extends OperationName>(name: K, input: Input<K>, refusal: EngineRefusal): Promise<string> {
    const reply = await this.ask(name, complete(name, input));
    const request = `${name} ${JSON.stringify(input)}`;
    assert.ok(!reply.ok, `${request}: expected the refusal "${refusal}", but it was accepted: ${replyText(reply)}`);
    assert.equal(reply.refusal, refusal, `${request}: kind of the refusal (${reply.message})`);
    assert.notEqual(reply.message.trim(), "", `${request}: the refusal has to say a reason`);
    return reply.message;
  }

  /** Waits until a read shows something: changes may be applied a little after they were accepted. */
  shows<K extends OperationName>(
    what: string,
    name: K,
    input: Input<K>,
    holds: (output: Output<K>) => boolean,
  ): Promise<void> {
    return this.timeLimit.untilRead(what, () => this.call(name, input), holds);
  }
}

export function enoughTime(): TimeForReply {
  return { deadline: Date.now() + DEADLINE_MS, timeLeft: DEADLINE_MS };
}

export function replyText(reply: EngineReply): string {
  return reply.ok ? JSON.stringify(reply.result) : `${reply.refusal}, ${reply.message}`;
}

/** The input as a gateway sends it, defaults filled in. */
export function complete<K extends OperationName>(name: K, input: Input<K>): EngineInput<K> {
  return operationRecord(operations, name).input.parse(input) as EngineInput<K>;
}

/** The check of a case. Rejects with the fault, or with `NotApplicable`. */
export type EngineCheck = (engine: EngineClient, landmarks: EngineLandmarks) => Promise<void>;

export interface EngineCase {
  readonly name: string;
  readonly check: EngineCheck;
}

/** Cases about one subject, from their names. */
export function casesAbout(subject: string, checks: Readonly<Record<string, EngineCheck>>): EngineCase[] {
  return Object.entries(checks).map(([name, check]) => ({ name: `${subject}: ${name}`, check }));
}

/** Does something and then cleans up, whatever happened; a failed clean-up fails the case when nothing else did. */
export async function cleaningUp(act: () => Promise<void>, cleanUp: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    // What the case found counts, not that a broken engine could not be tidied either.
    await (async () => cleanUp())().catch(() => {});
    throw error;
  }
  await cleanUp();
}

/** Texts that are not valid projection paths, each for another reason (decision D-VAL 3). */
export const MALFORMED_PATHS: readonly string[] = [
  "Account",
  "Account[]",
  "Account[A",
  "Account[A]x",
  "Account[A]/",
  "/Account[A]",
  "[A]",
  "account[A]",
  "NoSuchKey[A]",
  "Account[A]/Account[B]",
];

/** The operations that the engine names in its description. Throws {@link NotApplicable} where it does not describe itself. */
export async function describedOperations(engine: EngineClient): Promise<readonly string[]> {
  const reply = await engine.askAny("describeEngine");
  if (reply instanceof TransportError || (!reply.ok && reply.refusal === "unsupported")) {
    throw new NotApplicable("no describeEngine");
  }
  assert.ok(reply.ok, `describeEngine: expected a result, but it was refused: ${replyText(reply)}`);
  return conforming("describeEngine", engineReads.describeEngine.output, reply.result).operations;
}

/** A result that conforms to its schema. Otherwise the error has a line for each field, and tells what is missing from what is wrong. */
function conforming<S extends z.ZodType>(name: string, schema: S, result: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(result, { reportInput: true });
  const lines = error?.issues.map(({ path, input, message }) =>
    fault(path, input === undefined ? "is missing" : message),
  );
  assert.ok(success, `result of ${name} does not conform to its schema:\n${lines?.join("\n")}`);
  return data;
}
