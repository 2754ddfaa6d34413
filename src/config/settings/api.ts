import {
  CAPACITY_BOUNDS,
  DEFAULT_CAPACITIES,
  DEFAULT_LARGE_REPLIES,
  DEFAULT_USER_SHARE,
} from "../../core/engine/engine-link.ts";
import { DEFAULT_MAX_BODY_BYTES, HELD_OF_CALLER_BYTES } from "../../core/load/held-bytes.ts";
import { DEFAULT_MAX_RISK_COMMANDS, MAX_LIMITS, RISK_COMMAND_BOUNDS } from "../../core/operations/risk.ts";
import { grouped } from "../../core/values/basics.ts";
import { PROJECTION_KEY } from "../../core/values/projection.ts";
import { dataSize, duration } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import { anyText, choice, flag, listOf, path, restricting, wholeNumber, word } from "../values.ts";

export const apiSettings = {
  "admin.api.enabled": setting(flag(), "true", "`false` turns the administrative API off: its paths do not exist."),
  "admin.api.allow-basic-without-tls": setting(
    flag(),
    "false",
    "`true` lets a gateway without HTTPS listen beyond this machine though callers send passwords (`SIMPLE`, `LDAP`); only for a " +
      "gateway behind a proxy that terminates TLS.",
  ),
  "admin.api.request-log": setting(
    flag(),
    "true",
    "Whether a line is logged for each request; audit records do not depend on it.",
  ),
  "admin.api.max-body-size": setting(
    dataSize("1B", `${HELD_OF_CALLER_BYTES / 2 ** 20}MB`),
    `${DEFAULT_MAX_BODY_BYTES / 1024}KB`,
    "Largest request body; a larger one is rejected with 413. An input is checked and recorded in one piece: each further 128 KB may make " +
      "stops of others wait a few milliseconds longer.",
  ),
  "admin.api.max-risk-commands": setting(
    wholeNumber(RISK_COMMAND_BOUNDS.min, RISK_COMMAND_BOUNDS.max),
    `${DEFAULT_MAX_RISK_COMMANDS}`,
    "Maximum number of commands per risk update; more are rejected with 400. They may have " +
      `${grouped(MAX_LIMITS)} limits in all, or ${MAX_LIMITS / DEFAULT_MAX_RISK_COMMANDS} each if that is more. ` +
      "An update is checked in one piece: each further 1,000 commands may make stops of others wait a few milliseconds longer.",
  ),
  "admin.api.unknown-fields": setting(
    choice("reject", "ignore"),
    "reject",
    "What happens to a request with an unknown body field or an unknown or repeated query parameter: `reject` responds with 400 " +
      "and names it, `ignore` is for old clients.",
  ),
  "admin.api.extensions": setting(
    flag(),
    "true",
    "Whether the API has the operations beyond the specification (`GET /trading/halts`, `GET /whoami`, `GET /engine`); `false` makes their paths unknown.",
  ),
  "admin.api.projection-keys": setting(
    listOf("projection keys (a capital letter, then letters and digits)", PROJECTION_KEY),
    "",
    "Projection keys of this installation in addition to the standard ones.",
  ),
};

/** The audit records, and the durable audit file (decision D-LOG 2). */
export const auditSettings = {
  "admin.gateway.name": optional(
    anyText(),
    "Name of this gateway in audit records; the name of the host unless it is set.",
  ),
  "admin.audit.file": optional(
    path(),
    "File that keeps the audit records durably, chained by hashes (`docs/reference/audit-records.md`); without it they are in the monitor log only.",
  ),
  "admin.audit.max-file-size": setting(
    dataSize("64KB", "1024MB"),
    "64MB",
    "Size at which a new audit file is begun and the full one gets its final name.",
  ),
  "admin.audit.max-files": optional(
    wholeNumber(2, 1_000_000),
    "How many audit files are kept, the current one included; older ones are deleted. All are kept unless it is set.",
  ),
  "admin.audit.stream": optional(
    word("a name of letters, digits, `-` and `_`", /^[\w-]{1,128}$/),
    "JetStream stream to which the lines of the audit file are published; made where there is none. On the NATS servers of " +
      "`admin.shared.nats.url`, or of the engine.",
  ),
  "admin.audit.stream-required": setting(
    restricting(flag()),
    "false",
    "Whether a change waits until its intent is in the stream, and is refused as not sent if that takes too long. Stops never wait.",
  ),
};

const CAPACITY = wholeNumber(CAPACITY_BOUNDS.min, CAPACITY_BOUNDS.max);

/** Capacity of each kind of operation (decision D-LANE 1). */
export const laneSettings = {
  "admin.lanes.stop.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.stop}`,
    "Stopping operations (halt, disable, disconnect) that may be in flight concurrently; no other operation takes their place.",
  ),
  "admin.lanes.change.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.change}`,
    "Resuming, enabling, risk updates and adjustments that may be in flight concurrently.",
  ),
  "admin.lanes.read.capacity": setting(
    CAPACITY,
    `${DEFAULT_CAPACITIES.read}`,
    "Reads that may be in flight concurrently. Further ones are rejected with 429.",
  ),
  "admin.lanes.user-share": setting(
    wholeNumber(1, 100),
    `${DEFAULT_USER_SHARE * 100}`,
    "Part of each capacity, in percent, that one user may have.",
  ),
  "admin.lanes.read.turn": setting(
    duration("1ms", "1h"),
    "1ms",
    "Time that reads, and all other work that is not a stop, may take together before newly arrived requests are looked at.",
  ),
  "admin.lanes.read.max-large": setting(
    CAPACITY,
    `${DEFAULT_LARGE_REPLIES}`,
    "Responses with more than 250 rows that may be in progress concurrently, from the request to the last row. Further ones wait for a second " +
      "at most and are then rejected with 429.",
  ),
};
