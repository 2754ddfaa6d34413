import type { AdminClientError } from "../../client/errors.ts";
import type { OpenOrders } from "../../client/open-orders.ts";
import { NOT_OF_THE_API } from "../../client/result.ts";
import { ROUTES } from "../../client/routes.ts";
import { NO_SUCH_PATH, NOTHING_SERVED } from "../../core/conventions.ts";
import { commandWords } from "../../core/operations/command-words.ts";
import type { CallName, OperationName } from "../../core/operations/table.ts";
import { type ApprovedRequest, escapeControlCharacters } from "../../core/records/record.ts";
import { awaitedUntil, endedBefore, waitsWords } from "../../core/records/second-person.ts";
import { type CommandOutcome, outcomeOf } from "../exit-codes.ts";
import { OPERATION_FACTS } from "./facts.ts";
import type { OperationInput } from "./input.ts";
import type { OperationFacts } from "./operation-facts.ts";

/** What is sent, or read, with its input. */
export interface Command {
  readonly operation: OperationName;
  readonly input: OperationInput;
}

/** Describes a command: `halt trading at Account[GOLD]`. */
export function describeCommand({ operation, input }: Command): string {
  return commandWords(operation)?.sentence(input) ?? operation;
}

/** The result of a command; `--output json` prints it as it is. Times are ISO 8601 in UTC, null where there is none. */
export interface CommandResult extends Command {
  readonly requestId: string | null;
  readonly outcome: CommandOutcome;
  /** For people: what was requested, and what happened to it. */
  readonly message: string;
  readonly askedAt: string | null;
  readonly acceptedAt: string | null;
  /** When a read of the engine confirmed it. */
  readonly seenAt: string | null;
  /** The final state. */
  readonly state: unknown;
  /** Of a halt that requested cancels: what open sizes showed. */
  readonly openOrders?: OpenOrders;
  /** Until when it waits for a second person: nothing was sent yet. */
  readonly awaitedUntil?: string;
  /** The request of another user that it approves. */
  readonly approves?: ApprovedRequest;
  /** The second person, who sent it. */
  readonly approvedBy?: string;
}

/** The outcome for people: what waits for a second person was not refused. */
export function shownOutcome({ outcome, awaitedUntil }: CommandResult): string {
  return awaitedUntil === undefined ? outcome : "waits";
}

/** What happened to a command or read that its user may not send. */
export function deniedWords(because: string): string {
  return `denied, nothing was sent to the engine: ${because}`;
}

/** Describes the outcome of a failed command or read unambiguously. */
export function failureWords(operation: CallName, error: AdminClientError): string {
  const { reason, status, retryAfter, requestId } = error;
  const facts = [...(status === undefined ? [] : [`status ${status}`]), `request id ${requestId}`];
  const until = awaitedUntil(reason);
  if (until !== undefined) {
    const ended = endedBefore(reason);
    const why = ended === undefined ? "" : `: ${escapeControlCharacters(ended)}`;
    return `${waitsWords(until, Date.now())}, nothing was sent yet${why} (${facts.join(", ")})`;
  }
  const because = `${escapeControlCharacters(reason)} (${facts.join(", ")})`;
  const isRead = ROUTES[operation].retry === "safe";
  const again = retryAfter === undefined ? "" : `; try again in ${retryAfter} s`;
  switch (outcomeOf(error)) {
    case "denied":
      return deniedWords(because);
    case "rejected":
      return `refused by ${refuserOf(operation, error)}${isRead ? "" : ", nothing was changed"}: ${because}`;
    case "not-sent":
      return isRead ? unreadWords(`${because}${again}`) : `not sent: ${because}${again}${status === 503 ? ADVICE : ""}`;
    case "done":
      return `applied, do not repeat it: ${because}`;
    case "failed":
      return unreadWords(because);
    default:
      return `may have been applied: read the state before you repeat it: ${because}`;
  }
}

const ADVICE = "; trading-admin doctor looks for the cause";

/** What happened to a read that gave nothing, and where to look for the cause. */
function unreadWords(because: string): string {
  return `nothing could be read: ${because}${ADVICE}`;
}

/** The API's own checks name a field of the input; any other 400 or 404 of the API comes from the engine. */
function refuserOf(operation: CallName, { status, reason }: AdminClientError): string {
  if (reason.startsWith(NOT_OF_THE_API)) return "something on the way to the API";
  if (reason.startsWith(NOTHING_SERVED)) return "the server at this address";
  if (reason === NO_SUCH_PATH || (status !== 400 && status !== 404)) return "the API";
  const facts: Partial<Record<CallName, OperationFacts>> = OPERATION_FACTS;
  const fields = facts[operation]?.input.map(({ name }) => name) ?? [];
  const isChecked = fields.length > 0 && new RegExp(`^(${fields.join("|")})\\b|: unknown field\\b`).test(reason);
  return isChecked ? "the API" : "the engine";
}
