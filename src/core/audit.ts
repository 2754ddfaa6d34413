import type { Outcome } from "./errors.ts";
import type { OperationName } from "./operations.ts";
import type { AuthenticationMethod } from "./principal.ts";

/**
 * Stage of a mutation that a record speaks of: `intent` before it is sent, then its outcome; an answer that comes
 * after the caller was told `unknown` is `applied late` or `rejected late` (decisions D-LOG 1, D-ENG 3). Records of logins that
 * failed have stages of their own.
 */
export type AuditStage = "intent" | Outcome | "applied late" | "rejected late" | LoginStage;

/** Logins whose credentials were wrong (401), or were not checked as too many others were wrong (429). */
export type LoginStage = "login-refused" | "login-throttled";

/**
 * One audit record. All records of one mutation share `id`. A record of failed logins has no operation, and `count` tells for
 * how many requests it stands.
 */
export interface AuditRecord {
  readonly id: string;
  /** UTC, RFC 3339 with microseconds. */
  readonly time: string;
  readonly stage: AuditStage;
  /** Who asked for the mutation. Of a failed login the name that was tried, or null where there is none or too many to tell. */
  readonly user: string | null;
  readonly authentication: AuthenticationMethod;
  readonly tokenId?: string;
  readonly clientId?: string;
  /** Network address of the caller; null for a call within the process, and where there are too many to tell. */
  readonly address: string | null;
  readonly operation: OperationName | null;
  /** What the mutation acts on; empty for system-wide, null where the request did not get that far. */
  readonly target: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly reason: string | null;
  readonly requestId: string;
  /** Trace id of the caller's `traceparent`. */
  readonly traceId?: string;
  /** HTTP status of the answer; absent from an intent. */
  readonly status?: number;
  /** Milliseconds since the request came in; absent from an intent. */
  readonly durationMs?: number;
  /** Why the mutation was not applied, or what part of it was ignored. */
  readonly message?: string;
  /** Failed logins that this record stands for; `requestId` is that of the first. */
  readonly count?: number;
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
export function neutralised<T>(value: T): T;
export function neutralised(value: unknown): unknown {
  if (typeof value === "string") return value.replace(UNSAFE, escaped);
  if (Array.isArray(value)) return value.map((element) => neutralised(element));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [neutralised(key), neutralised(field)]));
}
