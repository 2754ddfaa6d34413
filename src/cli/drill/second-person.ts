import { setTimeout as pause } from "node:timers/promises";
import { timeOf } from "../../core/stops/words.ts";
import { isoTimeOf } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { type CommandResult, describeCommand } from "../operations/describe-command.ts";
import { byAnother, type Ending, type Halted, INTERVAL_MS, statusOf } from "./resumption.ts";

/** A resume that the gateway keeps until a second person sends it as well. */
export interface AwaitedResume {
  readonly asked: CommandResult;
  /** Epoch milliseconds. */
  readonly until: number;
}

/** The last step of a drill, where it waits for a second person. */
export function awaitedResume(steps: readonly CommandResult[]): AwaitedResume | undefined {
  const asked = steps.at(-1);
  return asked?.awaitedUntil === undefined ? undefined : { asked, until: Date.parse(asked.awaitedUntil) };
}

/** Waits until the engine no longer shows the halt of the drill, for as long as the gateway keeps the request, or until `isEnded`. */
export async function secondPerson(
  connection: Connection,
  { projectionPath, reason }: Halted,
  { asked, until }: AwaitedResume,
  isEnded: () => boolean,
): Promise<Ending> {
  while (!isEnded() && Date.now() < until) {
    await pause(INTERVAL_MS);
    const state = await statusOf(connection, projectionPath);
    // A gateway that does not answer is asked again.
    if (typeof state === "string") continue;
    if (!state.halted) return { steps: [resumed(asked, state)] };
    if (state.reason !== reason) return { steps: [asked], left: byAnother(state) };
  }
  return {
    steps: [asked],
    left: isEnded() ? asked.message : `no second person resumed it before ${timeOf(until, Date.now())} UTC`,
  };
}

function resumed({ awaitedUntil: _, ...asked }: CommandResult, state: unknown): CommandResult {
  const message = `${describeCommand(asked)}: done with a second person, the engine shows it`;
  return { ...asked, outcome: "done", message, seenAt: isoTimeOf(Date.now()), state };
}
