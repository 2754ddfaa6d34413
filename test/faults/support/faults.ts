import { REFUSAL_CODES } from "../../../transports/json-rpc/contract.ts";
import type { Mutation } from "../../requirements/support/endpoints.ts";
import type { FaultWorld, Result } from "./fault-world.ts";
import type { Delivery } from "./peer.ts";

/** One way in which an exchange goes wrong, and what has to come of it. */
export interface Fault {
  readonly name: string;
  readonly status: number;
  /** Stages of the audit records of the mutation, in order. */
  readonly stages: readonly string[];
  /** Those of a stop, where they differ. */
  readonly stagesOfStop?: readonly string[];
  /** How often the engine sees the command. */
  readonly seen: 0 | 1;
  /** Lets it happen to a mutation. */
  play(world: FaultWorld, mutation: Mutation): Promise<Result>;
}

const DEADLINE_MS = 10_000;

/** The wire needs time, and the deadline is not to come near. */
const STANDING = { stepMs: 0 };

/** Calls and takes the request out of the engine's hands; `during` decides what becomes of it. */
async function withHeld(
  world: FaultWorld,
  mutation: Mutation,
  during: (delivery: Delivery) => Promise<void> | void,
): Promise<Result> {
  const held: Delivery[] = [];
  world.peer.behave((delivery) => void held.push(delivery));
  const answering = world.call(mutation);
  await during(await world.until(() => held[0], STANDING));
  return answering;
}

/** Calls, lets the deadline pass while the engine has the request, and gives the engine's reply afterwards. */
async function answerLate(world: FaultWorld, mutation: Mutation, begin: "in time" | "too late"): Promise<Result> {
  let send = async (): Promise<void> => {};
  const result = await withHeld(world, mutation, ({ request, answer }) => {
    const inTime = begin === "in time" ? world.answerOf(request) : undefined;
    send = async () => answer(await (inTime ?? world.answerOf(request)));
    world.clock.advance(DEADLINE_MS);
  });
  await send();
  await world.until(() => world.audit.stages.length >= 3, STANDING);
  return result;
}

/** Answers requests as the engine does. */
export function answering(world: FaultWorld): void {
  world.peer.behave(async ({ request, answer }) => answer(await world.answerOf(request)));
}

/** All faults of the matrix. */
export const FAULTS: readonly Fault[] = [
  {
    name: "slow past the deadline",
    status: 504,
    stages: ["intent", "unknown", "rejected late"],
    stagesOfStop: ["intent", "unknown", "applied late"],
    seen: 1,
    play: (world, mutation) => answerLate(world, mutation, "too late"),
  },
  {
    name: "answers late",
    status: 504,
    stages: ["intent", "unknown", "applied late"],
    seen: 1,
    play: (world, mutation) => answerLate(world, mutation, "in time"),
  },
  {
    name: "never answers",
    status: 504,
    stages: ["intent", "unknown"],
    seen: 1,
    play: (world, mutation) => withHeld(world, mutation, () => world.clock.advance(DEADLINE_MS)),
  },
  {
    name: "rejects",
    status: 400,
    stages: ["intent", "rejected"],
    seen: 1,
    play: (world, mutation) =>
      withHeld(world, mutation, ({ answer }) =>
        answer({ error: { code: REFUSAL_CODES.rejected, message: "not while the market is closed" } }),
      ),
  },
  {
    name: "overloaded",
    status: 429,
    stages: ["intent", "not-sent"],
    seen: 1,
    play: (world, mutation) =>
      withHeld(world, mutation, ({ answer }) =>
        answer({ error: { code: REFUSAL_CODES.overloaded, message: "too many requests" } }),
      ),
  },
  {
    name: "link cut before sending",
    status: 503,
    stages: ["intent", "not-sent"],
    seen: 0,
    play: async (world, mutation) => {
      await world.peer.cut();
      const result = await world.call(mutation);
      answering(world);
      await world.peer.mend();
      return result;
    },
  },
  {
    name: "link cut after sending",
    status: 504,
    stages: ["intent", "unknown"],
    seen: 1,
    play: (world, mutation) =>
      withHeld(world, mutation, async () => {
        await world.peer.cut();
        world.clock.advance(DEADLINE_MS);
        await world.peer.mend();
      }),
  },
  {
    name: "garbage frame",
    status: 500,
    stages: ["intent", "unknown"],
    seen: 1,
    play: (world, mutation) => withHeld(world, mutation, ({ garbage }) => garbage()),
  },
  {
    name: "answer that breaks the output schema",
    status: 500,
    stages: ["intent", "unknown"],
    seen: 1,
    play: (world, mutation) => withHeld(world, mutation, ({ answer }) => answer({ result: [42] })),
  },
  {
    name: "duplicate answer",
    status: 200,
    stages: ["intent", "applied"],
    seen: 1,
    play: (world, mutation) =>
      withHeld(world, mutation, async ({ request, answer }) => {
        const body = await world.answerOf(request);
        answer(body);
        answer(body);
      }),
  },
  {
    name: "engine restarted",
    status: 504,
    stages: ["intent", "unknown"],
    seen: 1,
    play: (world, mutation) =>
      withHeld(world, mutation, async () => {
        await world.peer.restart();
        world.clock.advance(DEADLINE_MS);
      }),
  },
];
