import type { Outcome } from "../errors.ts";
import type { Direction, Lane } from "../operations/operation.ts";
import type { OperationName } from "../operations/table.ts";
import type { AuthenticationMethod } from "../principal.ts";

/**
 * Stage of a mutation that a record describes: `intent` before it is sent, then its outcome; a reply that arrives
 * after the caller was sent `unknown` is `applied late` or `rejected late` (decisions D-LOG 1, D-ENG 10). Records of logins that
 * failed have stages of their own.
 */
export type AuditStage = "intent" | Outcome | "applied late" | "rejected late" | LoginStage;

/** Logins whose credentials were wrong (401), or were not checked as too many others were wrong (429). */
export type LoginStage = "login-refused" | "login-throttled";

/**
 * One audit record. All records of one mutation share `id`. A record of failed logins, or of refusals beyond 20 a minute of one
 * user, has no operation, and `count` says for how many requests it stands. No caller can make a record larger than 64 KB.
 */
export interface AuditRecord {
  readonly id: string;
  /** UTC, RFC 3339 with microseconds. */
  readonly time: string;
  readonly stage: AuditStage;
  /** Name of the gateway that made the record. */
  readonly gateway: string;
  /** Who asked for the mutation. Of a failed login the name that was tried, or null where there is none, or too many to count separately. */
  readonly user: string | null;
  readonly authentication: AuthenticationMethod;
  readonly tokenId?: string;
  readonly clientId?: string;
  /** Network address of the caller; null for a call within the process, and where there are too many to count separately. */
  readonly address: string | null;
  readonly operation: OperationName | null;
  /** Lane of the operation. */
  readonly lane?: Lane;
  /** Which way the mutation moves the limits on trading; absent where its input does not show it and there is no policy. */
  readonly direction?: Direction;
  /** What the mutation acts on; empty for system-wide, null where the request did not get that far. */
  readonly target: string | null;
  /** What the caller sent; where that is large, {@link CutValue} stands for a part or all of it. */
  readonly parameters: Readonly<Record<string, unknown>> | CutValue;
  readonly reason: string | null;
  readonly requestId: string;
  /** Trace id of the caller's `traceparent`. */
  readonly traceId?: string;
  /** HTTP status of the response; absent from an intent. */
  readonly status?: number;
  /** Milliseconds since the request came in; absent from an intent. */
  readonly durationMs?: number;
  /** Why the mutation was not applied, or what part of it was ignored. */
  readonly message?: string;
  /** What an applied mutation changed, as the engine's reply shows it afterwards: rows of a risk table. */
  readonly after?: readonly unknown[] | CutValue;
  /** What a policy of the host added, such as who asked for a change that a second person then sent. */
  readonly annotations?: Readonly<Record<string, string>> | CutValue;
  /** Failed logins or refusals that this record stands for; `requestId` and `address` are those of the first. */
  readonly count?: number;
  /** How many of those refusals asked for which operation. */
  readonly operations?: Readonly<Partial<Record<OperationName, number>>>;
}

/** Stands in a record for a value that is too large for it. */
export interface CutValue {
  /** Number of its elements, fields or characters. */
  readonly count: number;
  /** SHA-256 of its JSON without blanks, in UTF-8; lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Where audit records go. `write` settles when the record is kept; a rejection means that it is not, and then a
 * change is refused while a stop goes on (decision D-LOG 3).
 */
export interface AuditSink {
  write(record: AuditRecord): void | Promise<void>;
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escaped(character: string): string {
  return `\\u${character.codePointAt(0)?.toString(16).padStart(4, "0")}`;
}

/** A value with all control and formatting characters in its texts made visible, so that no log line can be forged. */
export function escapeControlCharacters<T>(value: T): T;
export function escapeControlCharacters(value: unknown): unknown {
  if (typeof value === "string") return value.replace(UNSAFE, escaped);
  if (Array.isArray(value)) return value.map((element) => escapeControlCharacters(element));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [escapeControlCharacters(key), escapeControlCharacters(field)]),
  );
}

/** A mutation that was refused before it could be sent, without its parameters. */
export interface Refusal {
  readonly stage: Outcome;
  readonly operation: OperationName;
  /** Null where so many users are refused that they are not counted separately. */
  readonly user: string | null;
  readonly authentication: AuthenticationMethod;
  readonly address: string | null;
  readonly requestId: string;
}

/** Refusals of one user and one stage that are recorded together. */
export interface CountedRefusals {
  readonly first: Refusal;
  readonly count: number;
  /** How many of them asked for which operation. */
  readonly operations: Readonly<Partial<Record<OperationName, number>>>;
}
