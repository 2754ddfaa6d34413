import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../connection/connect.ts";
import type { Wait } from "../duration.ts";
import type { CommandResult } from "../operations/describe-command.ts";
import { sendCommand } from "../operations/send-command.ts";
import { printInfo } from "../terminal/messages.ts";
import type { Status } from "./evidence.ts";

/** How long a gateway that does not answer is asked again, and how often. */
const PATIENCE_MS = 30_000;
export const INTERVAL_MS = 1_000;

/** How a drill ended. `left` says why trading may still be halted; absent when the engine shows that it is not. */
export interface Ending {
  readonly steps: readonly CommandResult[];
  readonly left?: string;
}

/** The halt that a drill began. */
export interface Halted {
  readonly projectionPath: string;
  readonly reason: string;
  /** Nobody knows whether it was applied: it may still come. */
  readonly mayCome: boolean;
}

/** Commands of a drill ignore signals: the drill ends by itself. */
export const UNINTERRUPTED: AbortSignal = new AbortController().signal;

/**
 * Ends what a drill began: resumes the node where the engine shows the halt of the drill, whatever happened in between, and asks again for
 * a while where nobody answers. A halt of somebody else stays.
 */
export async function resumption(connection: Connection, halted: Halted, wait: Wait): Promise<Ending> {
  const steps: CommandResult[] = [];
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const attempt = await tried(connection, halted, wait);
    if (attempt.step) steps.push(attempt.step);
    const isOver = Date.now() >= until;
    if (attempt.left === undefined && (isOver || !halted.mayCome || attempt.step)) return { steps };
    if (attempt.left !== undefined && (isOver || attempt.isFinal)) return { steps, left: attempt.left };
    await pause(INTERVAL_MS);
  }
}

/** One attempt to resume: `left` says why trading may still be halted, `isFinal` that another attempt would not change it. */
interface Attempt {
  readonly step?: CommandResult;
  readonly left?: string;
  readonly isFinal?: boolean;
}

async function tried(connection: Connection, { projectionPath, reason }: Halted, wait: Wait): Promise<Attempt> {
  const state = await statusOf(connection, projectionPath);
  if (typeof state === "string") return { left: state };
  if (!state.halted) return {};
  if (state.reason !== reason) return { left: byAnother(state), isFinal: true };
  const input = { projectionPath, reason };
  const known = { before: state, signal: UNINTERRUPTED };
  const step = await sendCommand(connection, { operation: "resumeTrading", input, wait, ...known });
  printInfo(step.message);
  if (step.outcome === "done") return { step };
  const isFinal = step.outcome === "denied" || step.outcome === "rejected";
  // What was not sent is not a step of the drill unless it is the last.
  return { ...(step.outcome !== "not-sent" && { step }), left: step.message, isFinal };
}

export function byAnother({ reason }: Status): string {
  return `somebody else halted it meanwhile (${reason})`;
}

/** The state of the node, or why it cannot be read. */
export async function statusOf({ polling }: Connection, projectionPath: string): Promise<Status | string> {
  try {
    return await polling.getTradingStatus({ projectionPath });
  } catch (error) {
    return (error as Error).message;
  }
}
