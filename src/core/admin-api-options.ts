import type { Clock } from "./clock.ts";
import { CAPACITY_BOUNDS, type LaneCapacities, TIMEOUT_BOUNDS } from "./engine/engine-link.ts";
import type { EngineTransport } from "./engine/transport.ts";
import type { Gate } from "./load/gate.ts";
import type { Logger } from "./logger.ts";
import { RISK_COMMAND_BOUNDS } from "./operations/risk.ts";
import {
  CLOCK,
  FLAG,
  fieldsOf,
  GATE,
  ifGiven,
  integer,
  LOGGER,
  listLike,
  methodsOf,
  type Needed,
  nameLike,
  numberFrom,
  type OptionTable,
  objectWith,
  oneOf,
  optionsOf,
} from "./options.ts";
import { POLICY, type Policy } from "./policy/policy.ts";
import type { AuditSink } from "./records/record.ts";
import type { Neighbours } from "./stops/cut-off-watch.ts";
import type { UnknownFields } from "./validation/input-size.ts";

export interface AdminApiOptions {
  /** The way to the engine: a `WebSocketTransport`, `NatsTransport`, `InProcessBus`, or your own. The API starts and closes it. */
  readonly transport: EngineTransport;
  /**
   * Sink of the audit records of all mutations (specification, convention 8): `await openAuditFile({ path })`, which also knows what was
   * stopped before, or your own `{ write, history }`.
   */
  readonly audit: AuditSink;
  /**
   * Audit trails of other gateways. Intents without an outcome in those of gateways that are gone are reported, once by all gateways together.
   */
  readonly neighbours?: Neighbours;
  /**
   * Decides about commands, after permission and input have been checked and before the intent is recorded;
   * `trading-admin-api/policy` has some ready-made ones.
   */
  readonly authorize?: Policy;
  /**
   * Where failures and what was noticed of the engine and the audit are written, equal ones 20 times a minute and then as a number. Without it,
   * what has no listener (`AdminApi.on`) becomes a warning of the process, `TradingAdminWarning`, once a minute.
   */
  readonly log?: Logger;
  /** Name of this gateway in audit records; the host's name unless given. */
  readonly gateway?: string;
  /**
   * Milliseconds from the arrival of a request to the deadline of the engine's reply; 10,000 unless tests need less (convention 6).
   * For a change this includes its checks and its audit record; the time of a stop begins when its input is complete.
   */
  readonly timeoutMs?: number;
  /** Requests of each lane that may be in flight concurrently, further ones get 429; `{ stop: 64, change: 64, read: 256 }` unless given. */
  readonly capacities?: Partial<LaneCapacities>;
  /** Part of each lane that one user may have, above 0 and at most 1; 0.5 unless given. */
  readonly userShare?: number;
  /**
   * Replies with more than 250 rows that may be in progress concurrently, from the request to the last row; 8 unless given. Further ones wait
   * for a second at most.
   */
  readonly largeReplies?: number;
  /** Whether unknown request fields are refused (default) or ignored. */
  readonly unknownFields?: UnknownFields;
  /** Projection keys besides `STANDARD_PROJECTION_KEYS`, such as `["Desk"]`; the engine has to know them, too. */
  readonly projectionKeys?: Iterable<string>;
  /** Whether what was stopped is compared with the engine, which costs a few reads; true unless given. */
  readonly stopCheck?: boolean;
  /** Whether there are operations beyond the specification; true unless given. */
  readonly extensions?: boolean;
  /** Commands that one risk update may have at most; 1,000 unless given, any number with `Infinity`. */
  readonly maxRiskCommands?: number;
  /** Scheduler of the work; share it with the transport, so that both have one time budget. */
  readonly gate?: Gate;
  /** Source of time; the machine's own unless given, `ManualClock` of the testing entry in tests. */
  readonly clock?: Clock;
}

const CAPACITY = ifGiven(integer(CAPACITY_BOUNDS));

const LIMITED_COMMANDS = integer(RISK_COMMAND_BOUNDS);
const RISK_COMMANDS: Needed = {
  like: `${LIMITED_COMMANDS.like}, or Infinity`,
  fits: (value) => value === Number.POSITIVE_INFINITY || LIMITED_COMMANDS.fits(value),
};

const SHARE: Needed = {
  like: "a number above 0 and at most 1",
  fits: (value) => typeof value === "number" && value > 0 && value <= 1,
};

export const API_OPTIONS: OptionTable<AdminApiOptions> = {
  transport: objectWith("exchange", "new WebSocketTransport({ url }) or an InProcessBus"),
  audit: objectWith("write", "await openAuditFile({ path }) or your own { write }"),
  neighbours: ifGiven(methodsOf(["abandoned", "all", "alone"], "{ abandoned, all, alone }")),
  authorize: ifGiven(POLICY),
  log: ifGiven(LOGGER),
  gateway: ifGiven(nameLike('"london-1"')),
  timeoutMs: ifGiven(numberFrom(TIMEOUT_BOUNDS)),
  capacities: ifGiven(fieldsOf<Partial<LaneCapacities>>({ stop: CAPACITY, change: CAPACITY, read: CAPACITY })),
  userShare: ifGiven(SHARE),
  largeReplies: ifGiven(integer(CAPACITY_BOUNDS)),
  unknownFields: ifGiven(oneOf({ reject: true, ignore: true })),
  projectionKeys: ifGiven(listLike('["Desk"]')),
  stopCheck: ifGiven(FLAG),
  extensions: ifGiven(FLAG),
  maxRiskCommands: ifGiven(RISK_COMMANDS),
  gate: ifGiven(GATE),
  clock: ifGiven(CLOCK),
};

export const checkedApiOptions = optionsOf<AdminApiOptions>("AdminApi", API_OPTIONS);
