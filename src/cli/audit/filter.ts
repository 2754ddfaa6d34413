import type { RecordedOutcome, RecordedRequest } from "../../audit/history.ts";
import { operationNames } from "../../core/operations/table.ts";
import { nodeKey } from "../../core/operations/target.ts";
import { didYouMeanOneOf } from "../../core/values/near-names.ts";
import { durationMs } from "../duration.ts";
import { UsageError } from "../exit-codes.ts";
import { type Invocation, typedCommands } from "../framework/definition.ts";

/** How a table shows the target of what concerns the whole system. */
export const SYSTEM_WIDE = "(root)";

/** Which requests are shown; a filter that is not given lets all pass. */
export interface AuditFilterOptions {
  readonly user?: string;
  readonly operation?: string;
  /** As records have it; `(root)` or an empty text is the whole system. */
  readonly target?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Every outcome with what it says; a typed record, so that none is forgotten. */
export const OUTCOMES: Readonly<Record<RecordedOutcome, string>> = {
  open: "only the intent is recorded: in progress, or cut off as the gateway ended",
  unknown: "may have been applied: the engine's reply did not come",
  applied: "the engine accepted it",
  "applied late": "accepted after the response said unknown",
  rejected: "the engine refused it",
  "rejected late": "refused after the response said unknown",
  contradicted: "two replies of the engine contradict each other; one may be forged",
  denied: "a permission or a policy refused it, or it waited for a second person",
  invalid: "the request was wrong",
  "not-sent": "never sent to the engine",
  "login-refused": "wrong credentials",
  "login-throttled": "credentials not accepted after too many wrong ones",
  "state-lost": "applied; later the engine no longer showed it",
  "state-shown": "of unknown outcome or no longer shown; later the engine showed it",
  "cut-off": "intents without outcome were found, whose gateway had ended",
  lapsed: "requests were found that no longer waited for a second person, as their gateway had ended",
};

/**
 * Makes the test that `options` describe; throws for what no request can match. `now` is epoch milliseconds; `typed` has operations by the
 * words that are typed for them, as a table shows them.
 */
export function auditFilter(
  options: AuditFilterOptions,
  now: number,
  typed: ReadonlyMap<string, string> = new Map(),
): (request: RecordedRequest) => boolean {
  const { user, outcome } = options;
  const target = options.target === undefined ? undefined : targetKey(options.target);
  const operation = typed.get(options.operation ?? "") ?? options.operation;
  if (operation !== undefined) checkWord("--operation", operation, operationNames);
  if (outcome !== undefined) checkWord("--outcome", outcome, Object.keys(OUTCOMES));
  const since = options.since === undefined ? undefined : instantOf("--since", options.since, now);
  const until = options.until === undefined ? undefined : instantOf("--until", options.until, now);
  return (request) =>
    (user === undefined || request.user === user) &&
    (operation === undefined || concerns(request, operation)) &&
    (target === undefined || (request.target !== null && targetKey(request.target) === target)) &&
    (outcome === undefined || request.outcome === outcome) &&
    (since === undefined || Date.parse(request.time) >= since) &&
    (until === undefined || Date.parse(request.time) < until);
}

/** Refusals that are recorded together name their operations with a number each. */
function concerns({ operation, operations }: RecordedRequest, name: string): boolean {
  return operation === name || (operations !== undefined && Object.hasOwn(operations, name));
}

function targetKey(target: string): string {
  return nodeKey(target === SYSTEM_WIDE ? "" : target);
}

function checkWord(option: string, word: string, known: readonly string[]): void {
  if (known.includes(word)) return;
  throw new UsageError(`${option}: there is no ${JSON.stringify(word)}${didYouMeanOneOf(word, known)}`);
}

const AGO = /^\d+[smhd]$/;
const TIME_OF_DAY = /^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_AND_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads a point in time, in epoch milliseconds: `15m` (ago), `09:30` (today), `2026-01-05`, `2026-01-05T09:30:00Z`. Without a zone
 * it is UTC, as in the audit file. `option` begins the message for a text that is none.
 */
export function instantOf(option: string, text: string, now: number): number {
  if (AGO.test(text)) return now - durationMs(option, text);
  const instant = Date.parse(isoOf(text, now));
  if (!Number.isNaN(instant)) return instant;
  throw new UsageError(
    `${option}: must be a time such as 15m (ago), 09:30 (today), 2026-01-05 or 2026-01-05T09:30:00Z, all in UTC, is "${text}"`,
  );
}

/** The text as ISO 8601 with a zone; empty where it is not a time. */
function isoOf(text: string, now: number): string {
  if (TIME_OF_DAY.test(text)) return `${new Date(now).toISOString().slice(0, 10)}T${text.replace(/^\d:/, "0$&")}Z`;
  if (DATE.test(text)) return text;
  const zone = DATE_AND_TIME.exec(text);
  if (!zone) return "";
  return zone[3] === undefined ? `${text}Z` : text;
}

/** Operations by the commands that are typed for them: `halt` and `trading halt` are `haltTrading`. */
export function operationsByWords(commands: Invocation["table"]): ReadonlyMap<string, string> {
  return new Map(typedCommands(commands).map(([operation, words]) => [words, operation]));
}
