import type { Outcome } from "../errors.ts";
import type { Direction, Lane } from "../operations/operation.ts";
import type { OperationName } from "../operations/table.ts";
import type { AuthenticationMethod } from "../principal.ts";
import { visible } from "../values/basics.ts";

/**
 * Stage of a mutation that a record describes: `intent` before it is sent, then its outcome; a reply that arrives
 * after the caller was sent `unknown` is `applied late` or `rejected late`; one that contradicts the first
 * is `contradicted`. Records of logins that failed, and of what the gateway notices itself, have separate stages.
 */
export type AuditStage =
  | "intent"
  | Outcome
  | "applied late"
  | "rejected late"
  | "contradicted"
  | LoginStage
  | NoticedStage;

/**
 * What the gateway notices itself: the engine no longer shows a stop that was applied; it shows one whose outcome was unknown, or shows
 * it again; intents were found whose gateway ended before their outcome; requests were found that waited for a second person in the memory of
 * a gateway that has ended.
 */
export type NoticedStage = "state-lost" | "state-shown" | "cut-off" | "lapsed";

/** Failed logins: wrong credentials (401), or unchecked ones after too many failures (429). */
export type LoginStage = "login-refused" | "login-throttled";

/**
 * One audit record. All records of one mutation share `id`. A record of failed logins, or of refusals beyond 20 a minute of one
 * user, has no operation, and `count` says for how many requests it stands. No caller can make a record larger than 64 KB.
 */
export interface AuditRecord {
  /** UUID of the mutation; never that of another one, unlike `requestId`, which callers choose. */
  readonly id: string;
  /** UTC, RFC 3339 with microseconds. */
  readonly time: string;
  /** `intent` before the command is sent, then its outcome. */
  readonly stage: AuditStage;
  /** The stage again where it is not a stage of a caller's request: what happened, as in the records about the file itself. */
  readonly event?: NoticedStage;
  /** Name of the gateway that made the record. */
  readonly gateway: string;
  /** User who requested the mutation; of failed logins the attempted name; null if there is none, or too many to count separately. */
  readonly user: string | null;
  /** How the user authenticated: `basic`, `bearer` or `direct`. */
  readonly authentication: AuthenticationMethod;
  /** `jti` of the bearer token, if any. */
  readonly tokenId?: string;
  /** OAuth 2.0 client id, if any. */
  readonly clientId?: string;
  /** Network address of the caller; null for calls within the process, and if there are too many to count separately. */
  readonly address: string | null;
  /** Null for failed logins and counted refusals. */
  readonly operation: OperationName | null;
  readonly lane?: Lane;
  /** Effect of the mutation on the limits on trading; absent if its input does not show it and there is no policy. */
  readonly direction?: Direction;
  /** Target of the mutation; empty for system-wide, null if the request failed before it was known. */
  readonly target: string | null;
  /** Parameters from the caller; {@link TruncatedValue} replaces oversized parts or all of them. */
  readonly parameters: Readonly<Record<string, unknown>> | TruncatedValue;
  /** Reason that the caller gave, or the operation's default; null where it takes none. */
  readonly reason: string | null;
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
  /** Trace id of the caller's `traceparent`. */
  readonly traceId?: string;
  /** HTTP status of the response; absent from an intent. */
  readonly status?: number;
  /** Milliseconds since the arrival of the request; absent from an intent. */
  readonly durationMs?: number;
  /** When the engine replied, by its own clock: UTC, RFC 3339 with milliseconds. Absent without a reply that told it. */
  readonly engineTime?: string;
  /** Reason why the mutation was not applied, or the part of it that was ignored. */
  readonly message?: string;
  /** State that a change replaces, where it was read for the host's policy: rows of a risk table, or the position. */
  readonly before?: readonly unknown[] | TruncatedValue;
  /** Changes of an applied mutation, from the engine's reply: rows of a risk table. */
  readonly after?: readonly unknown[] | TruncatedValue;
  /** Annotations of the host's policy, such as the requester of a change that a second person sent. */
  readonly annotations?: Readonly<Record<string, string>> | TruncatedValue;
  /** Number of failed logins or refusals that this record stands for; `requestId` and `address` are those of the first. */
  readonly count?: number;
  /** Number of those refusals by operation. */
  readonly operations?: Readonly<Partial<Record<OperationName, number>>>;
  /** Time of the command that `state-lost` or `state-shown` is about; its other fields are those of that command. */
  readonly since?: string;
  /** Ids of the intents without an outcome that `cut-off` is about, or of the requests that have `lapsed`. */
  readonly ids?: readonly string[];
}

/** The request that a change approves: the same change, which another user has sent before. */
export interface ApprovedRequest {
  readonly requestedBy: string;
  /** RFC 3339, UTC. */
  readonly requestedAt: string;
  /** Its `X-Request-Id`. */
  readonly requestId: string;
  /** Reason that was given with it. */
  readonly requestReason?: string;
}

/** Annotations of a change that needs a second person. */
export interface SecondPerson extends Partial<ApprovedRequest> {
  /** Of a first request, which waits: RFC 3339, UTC. */
  readonly awaitedUntil?: string;
  /** `store` where it waits in one outside the gateway; else it waits in the gateway's memory, and ends with it. */
  readonly awaitedIn?: "store";
}

export function secondPersonOf({ annotations }: { readonly annotations?: unknown }): SecondPerson {
  return (annotations ?? {}) as SecondPerson;
}

/** Undefined for a change that approves none. */
export function approvedRequestOf(of: { readonly annotations?: unknown } | undefined): ApprovedRequest | undefined {
  const { requestedBy, requestedAt, requestId, requestReason } = secondPersonOf(of ?? {});
  if (requestedBy === undefined || requestedAt === undefined || requestId === undefined) return undefined;
  return { requestedBy, requestedAt, requestId, ...(requestReason !== undefined && { requestReason }) };
}

/** Replaces a value that is too large for a record. */
export interface TruncatedValue {
  /** Number of its elements, fields or characters. */
  readonly count: number;
  /** SHA-256 of its JSON without white space, in UTF-8; lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Destination of audit records. `write` resolves when the record is kept; if it rejects, a change is refused, but a stop proceeds.
 */
export interface AuditSink {
  /**
   * Keeps one record; called for the intent before the command is sent, and for its outcome. Throwing is the same as rejecting.
   */
  write(record: AuditRecord): void | Promise<void>;
  /**
   * The records from before, in their order: what they say is stopped is compared with the engine, and intents without an outcome
   * are reported. They are read in the background from `AdminApi.start` on. `auditConformance` of the testing entry tests it.
   */
  readonly history?: AsyncIterable<AuditRecord> | undefined;
}

/** Escapes all control and formatting characters in the texts of a value, so that no log line can be forged. */
export function escapeControlCharacters<T>(value: T): T;
export function escapeControlCharacters(value: unknown): unknown {
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value)) return value.map((element) => escapeControlCharacters(element));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [escapeControlCharacters(key), escapeControlCharacters(field)]),
  );
}

/** A mutation that was refused before it could be sent, without its parameters. */
export interface Refusal extends Pick<AuditRecord, "authentication" | "address" | "requestId"> {
  readonly stage: Outcome;
  readonly operation: OperationName;
  /** Null if there are too many users to count separately. */
  readonly user: string | null;
}

/** Refusals of one user and one stage that are recorded together. */
export interface CountedRefusals {
  readonly first: Refusal;
  readonly count: number;
  readonly operations: Readonly<Partial<Record<OperationName, number>>>;
}
