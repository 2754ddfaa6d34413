import { setTimeout as pause } from "node:timers/promises";
import type { GivenCommand } from "../../console/records.ts";
import { isStopOf, lostWords, timeOf } from "../../core/stops/words.ts";
import { isoTimeOf } from "../../core/values/basics.ts";
import type { Connection } from "../connection/connect.ts";
import { type Halts, readHalts } from "../halts/halts.ts";
import { type CommandResult, describeCommand } from "../operations/describe-command.ts";
import { recordedCommands } from "../operations/second-person.ts";
import { printInfo } from "../terminal/messages.ts";
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
    if (!state.halted) return { steps: [await resumed(connection, asked, state)] };
    if (state.reason !== reason) return { steps: [asked], left: byAnother(state) };
  }
  return {
    steps: [asked],
    left: isEnded() ? asked.message : `no second person resumed it before ${timeOf(until, Date.now())} UTC`,
  };
}

/** A halt also ends at the engine itself: only a resume that the gateway has recorded as the second person's proves that one. */
async function resumed(
  connection: Connection,
  { awaitedUntil: _, ...asked }: CommandResult,
  state: unknown,
): Promise<CommandResult> {
  const seen = { ...asked, seenAt: isoTimeOf(Date.now()), state };
  const { by, doubt } = await approvalOf(connection, asked);
  const resume = describeCommand(asked);
  if (doubt !== undefined)
    return { ...seen, outcome: "not-proven", message: `${resume}: not proven: no longer halted, but ${doubt}` };
  const message = `${resume}: done by ${by} as second person, the engine shows it`;
  printInfo(message);
  return { ...seen, outcome: "done", message, approvedBy: by };
}

/** Who sent what waited; `doubt` says why that is not known. */
type Approval = { readonly by: string; readonly doubt?: never } | { readonly by?: never; readonly doubt: string };

async function approvalOf(connection: Connection, asked: CommandResult): Promise<Approval> {
  const look = (): Promise<GivenCommand[] | undefined> => recordedCommands(connection);
  const find = (recorded: GivenCommand[]): GivenCommand | undefined => recorded.find(approves(connection, asked));
  // An outcome is recorded after its effect is seen.
  const recorded = await looked(look, (found) => found !== undefined && find(found)?.outcome !== null);
  if (!recorded) return { doubt: "by whom could not be read from the gateway's console" };
  const approval = find(recorded);
  if (!approval) return { doubt: `no second person's resume is recorded here${await lossOf(connection, asked)}` };
  const by = approval.by ?? "somebody";
  const { outcome } = approval;
  return outcome === "applied" || outcome === "applied late"
    ? { by }
    : { doubt: `the resume by ${by} is recorded as ${outcome ?? "in progress"}` };
}

/** Whether a recorded command approved the request. Callers choose the ids of requests: another's may have the same. */
function approves({ settings }: Connection, { requestId }: CommandResult): (recorded: GivenCommand) => boolean {
  const { user } = settings.credentials;
  return ({ approves: request }) =>
    request?.requestId === requestId && (user === undefined || request?.requestedBy === user);
}

/** `; Account[TEST] is no longer halted at the engine (...)`, where the gateway reports that; it compares a while after the engine is back. */
async function lossOf({ polling }: Connection, { input }: CommandResult): Promise<string> {
  const look = (): Promise<Pick<Halts, "lost" | "isDoubtful">> =>
    readHalts(polling).catch(() => ({ lost: [], isDoubtful: true }));
  const { lost } = await looked(look, ({ isDoubtful }) => !isDoubtful);
  const own = lost.find((stop) => isStopOf(stop, "haltTrading", input));
  return own ? `; ${lostWords(own, Date.now())}` : "";
}

const LOOKS = 10;

/** Looks again for some seconds until what was found is enough. */
async function looked<T>(look: () => Promise<T>, isEnough: (found: T) => boolean): Promise<T> {
  for (let left = LOOKS - 1; ; left -= 1) {
    const found = await look();
    if (left === 0 || isEnough(found)) return found;
    await pause(INTERVAL_MS);
  }
}
