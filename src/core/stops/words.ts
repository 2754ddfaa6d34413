import { givenReason } from "../conventions.ts";
import type { Output } from "../operations/table.ts";
import { type Fields, isoTimeOf } from "../values/basics.ts";

/** A stop that the engine no longer shows, as `GET /trading/halts` has it. */
export type LostStop = NonNullable<Output<"listHalts">["lost"]>[number];

/** A stop that is active, as `GET /trading/halts` has it. */
export type ActiveStop = NonNullable<Output<"listHalts">["stops"]>[number];

/** Who repeated a stop while it was active, and when. */
export type Repetition = NonNullable<ActiveStop["repeated"]>;

/** A stop as its audit record has it. */
export type RecordedStop = Omit<LostStop, "targetFields">;

/** Whether this is the stop of what these fields name. The text of a target does not tell `A/B` and `C` from `A` and `B/C`. */
export function isStopOf({ operation, targetFields }: LostStop, stop: string, named: Fields): boolean {
  return operation === stop && Object.entries(targetFields).every(([field, value]) => named[field] === value);
}

/**
 * A lost stop in a sentence for operators: `Account[GOLD] is no longer halted at the engine (halted 06:58:25 by alice: bad algo)`. Times
 * are UTC, with the date where it is not that of `now` (epoch milliseconds).
 */
export function lostWords({ operation, target, reason, since, by }: RecordedStop, now: number): string {
  const given = givenReason(reason);
  const because = given === null ? "" : `: ${given}`;
  const done = doneOf(operation);
  const begun = `${done} ${timeOf(since, now)} by ${by ?? "somebody"}${because}`;
  return `${target === "" ? "Trading" : target} is no longer ${done} at the engine (${begun})`;
}

/** `engine forgot 3 stops`: how many the engine no longer shows, for a headline. */
export function forgotWords(count: number): string {
  return `engine forgot ${count} ${count === 1 ? "stop" : "stops"}`;
}

/** Who repeated a stop, for the end of a sentence: `; repeated 07:02:11 by bob (really)`; empty where nobody has. */
export function repeatedWords(repeated: Repetition | undefined, now: number): string {
  return repeated ? `; repeated ${repetitionWords(repeated, now)}` : "";
}

/** `07:02:11 by bob (really)`. */
export function repetitionWords({ at, by, reason }: Repetition, now: number): string {
  return `${timeOf(at, now)} by ${by ?? "somebody"}${inBrackets(givenReason(reason))}`;
}

/** A stop of unknown outcome, or one that was lost, that the engine shows now. */
export function shownWords(
  { operation, target, reason, since, by }: RecordedStop,
  was: "unknown" | "lost",
  now: number,
): string {
  const stop = `${operation}${target === "" ? "" : ` of ${target}`} by ${by ?? "somebody"} at ${timeOf(since, now)}`;
  const again = was === "lost" ? "again" : "whose outcome was unknown";
  return `The engine shows the stop ${again}: ${stop}${inBrackets(givenReason(reason))}`;
}

function inBrackets(reason: string | null): string {
  return reason === null ? "" : ` (${reason})`;
}

/** `haltTrading` -> `halted`. */
function doneOf(operation: string): string {
  const [verb = operation] = /^[a-z]+/.exec(operation) ?? [];
  return `${verb}${verb.endsWith("e") ? "d" : "ed"}`;
}

/** `07:02:11`, UTC, with the date where it is not that of `now`. */
export function timeOf(epochMs: number, now: number): string {
  const [date, time = ""] = isoTimeOf(epochMs).slice(0, 19).split("T");
  return date === new Date(now).toISOString().slice(0, 10) ? time : `${date} ${time}`;
}
