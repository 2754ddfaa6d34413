import type { Fetch } from "../../client/exchange.ts";
import { objectIn } from "../../client/result.ts";
import { ROUTES } from "../../client/routes.ts";
import { BASE_PATH } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { PERMISSIONS } from "../../core/principal.ts";
import { lostWords } from "../../core/stops/words.ts";
import { isObject, isoTimeOf } from "../../core/values/basics.ts";
import { packageVersion } from "../../files/package-files.ts";
import { rootOf } from "../connection/addresses.ts";
import { adviceFor } from "../connection/failure-advice.ts";
import { haltWords } from "../halts/halts.ts";
import { wordsOf } from "../output/columns.ts";
import { type Finding, findings } from "./network.ts";

export interface Asking {
  readonly address: URL;
  readonly fetch: Fetch;
  /** Value of the `Authorization` header. */
  readonly authorization: string;
  /** Owner of the credentials. */
  readonly caller: string;
}

interface GatewayResponse {
  readonly status: number;
  readonly date: string | null;
  /** Why the body may not be the whole. */
  readonly warned: string | null;
  readonly body: string;
}

/** Clocks further apart than this make logs and audit files hard to compare; tokens are checked with 60 s to spare. */
const CLOCK_MS = 2_000;

/** Checks a gateway with these credentials: login, engine, clock, health, version. */
export async function checkGateway(asking: Asking): Promise<Finding[]> {
  const api = findings(`API ${asking.address.origin}`);
  const started = Date.now();
  try {
    const status = await get(asking, `${BASE_PATH}/trading/status`);
    const ended = Date.now();
    const found = [...apiFindings(asking, status), checkClock(asking, status.date, started, ended)];
    if (status.status === 401) return found;
    return [
      ...found,
      ...(await checkEngine(asking)),
      ...(await checkPaths(asking)),
      ...(await checkStops(asking)),
      ...(await checkPermissions(asking)),
      ...(await checkHealth(asking)),
      await checkVersion(asking),
    ];
  } catch (error) {
    return [api.failed(`${(error as Error).message}${adviceFor(error as Error)}`)];
  }
}

function apiFindings({ address, caller }: Asking, { status, body }: GatewayResponse): Finding[] {
  const credentials = findings("credentials");
  const engine = findings(`engine link ${address.origin}`);
  const said = messageIn(body);
  switch (status) {
    case 200:
      return [credentials.ok(`accepted: ${caller}`), engine.ok("up: the engine returned the trading status")];
    case 401:
      return [credentials.failed(`refused (401): ${caller}: check user and password, or the token and its expiry`)];
    case 403:
      return [credentials.failed(`refused (403): ${caller}: ${said}`)];
    case 404:
      return [
        findings(`API ${address.origin}`).failed(`there is no API at ${rootOf(address)}${BASE_PATH} (404): ${said}`),
      ];
    case 429:
    case 503:
    case 504:
      return [credentials.ok(`accepted: ${caller}`), engine.failed(`${status}: ${said}`)];
    default:
      return [credentials.unknown(`status ${status}: ${said}`)];
  }
}

/** The header counts seconds, so half of one is added to what it says. */
function checkClock({ address }: Asking, date: string | null, started: number, ended: number): Finding {
  const { ok, warning, unknown } = findings(`clock ${address.origin}`);
  if (date === null) return unknown("the response has no Date");
  const ahead = Date.parse(date) + 500 - (started + ended) / 2;
  const apart = `${Math.abs(ahead / 1_000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} this machine, as far as whole seconds tell`;
  return Math.abs(ahead) > CLOCK_MS ? warning(`${apart}; synchronise both`) : ok("within 2 s of this machine's");
}

/** A session and a gateway that do not exist: only the response about them matters. */
const UNKNOWN_SESSIONS = `${BASE_PATH}/fix/gateways/doctor/sessions`;

/**
 * Whether a name with a slash arrives as it was sent. The API says of a path that is not its own something other than of a name that it
 * does not know, so a proxy that makes `/` of `%2F` shows.
 */
async function checkPaths(asking: Asking): Promise<Finding[]> {
  const { ok, failed } = findings(`paths ${asking.address.origin}`);
  const [encoded, decoded] = await Promise.all(
    ["a%2Fb", "a/b"].map((name) => get(asking, `${UNKNOWN_SESSIONS}/${name}`)),
  );
  if (encoded?.status !== 404 || decoded?.status !== 404) return [];
  const remedy = "names with / cannot be reached; let the proxy on the way pass paths on unchanged";
  if (messageIn(encoded.body) === NOT_FROM_HERE) return [failed(`something on the way refuses %2F: ${remedy}`)];
  if (messageIn(encoded.body) === messageIn(decoded.body))
    return [failed(`something on the way decodes %2F: ${remedy}`)];
  return [ok("names with / arrive as they are sent")];
}

/** A gateway with a separate management port does not show its health here. */
async function checkHealth(asking: Asking): Promise<Finding[]> {
  const { unknown } = findings(`health ${asking.address.origin}`);
  const { body } = await get(asking, "/actuator/health");
  const components = componentsOf(body);
  if (!components) return [unknown("not shown at this address (management.server.port?)")];
  return Object.entries(components).map(([name, { status, details }]) => {
    const { ok, failed } = findings(`health ${name}`);
    const detail = Object.entries(details ?? {}).map(([key, value]) => `${wordsOf({ name: key })} ${shown(value)}`);
    return status === "UP" ? ok(detail.join(", ")) : failed(`${status}: ${detail.join(", ")}`);
  });
}

/** Halts and lost stops; empty where they cannot be read, which other checks report. */
async function checkStops(asking: Asking): Promise<Finding[]> {
  const { ok, warning, failed, unknown } = findings(`stops ${asking.address.origin}`);
  const { status, body, warned } = await get(asking, `${BASE_PATH}/trading/halts`);
  if (status === 404) return [unknown("this gateway does not list what is halted, nor what its engine has forgotten")];
  if (status !== 200) return [];
  const { halts = [], lost = [] } = objectIn(body) as Partial<Output<"listHalts">>;
  if (lost.length > 0) return lost.map((stop) => failed(lostWords(stop, Date.now())));
  if (warned !== null) return [warning(warned)];
  const halted = halts.length === 0 ? "none is known" : halts.map(haltWords).join("; ");
  return [ok(`the engine shows every stop that was applied through this gateway; halts: ${halted}`)];
}

/** Less is worth a warning: a command that is thought about may come too late. */
const SOON_MS = 60_000;

/** User, permissions and expiry of the credentials, as the gateway reports them. */
async function checkPermissions(asking: Asking): Promise<Finding[]> {
  const { ok, warning, unknown } = findings("permissions");
  const { status, body } = await get(asking, `${BASE_PATH}/whoami`);
  if (status === 404) return [unknown("this gateway does not say what its caller may do (admin.api.extensions)")];
  const { name, permissions, expires } = objectIn(body) as Partial<Output<"whoami">>;
  if (status !== 200 || !name || !permissions) return [];
  const missing = PERMISSIONS.filter((permission) => !permissions.includes(permission)).toSorted();
  const may = missing.length === 0 ? "has all permissions" : `lacks ${missing.join(", ")}`;
  const known = `the gateway knows the caller as ${name}, who ${may}`;
  if (typeof expires !== "number") return [ok(known)];
  const leftMs = expires - Date.now();
  const until = `${known}; the token expires at ${isoTimeOf(expires)}, in ${Math.round(leftMs / 1_000)} s`;
  return [leftMs < SOON_MS ? warning(`${until}: get a new one before you send commands`) : ok(until)];
}

async function checkVersion(asking: Asking): Promise<Finding> {
  const { ok, warning, unknown } = findings(`version ${asking.address.origin}`);
  const { body } = await get(asking, "/actuator/prometheus");
  const version = /^trading_admin_build_info\{[^}]*version="([^"]+)"/m.exec(body)?.[1];
  const own = packageVersion();
  if (version === undefined) return unknown(`not shown at this address; this command line is ${own}`);
  return version === own
    ? ok(`${version}, as this command line`)
    : warning(`gateway ${version}, this command line ${own}`);
}

async function get({ address, fetch, authorization }: Asking, path: string): Promise<GatewayResponse> {
  const headers = { Authorization: authorization };
  const init = { method: "GET", headers, signal: AbortSignal.timeout(15_000) };
  const root = path.startsWith("/actuator") ? address.origin : rootOf(address);
  const response = await fetch(`${root}${path}`, init);
  const { status, headers: received } = response;
  return { status, date: received.get("date"), warned: received.get("x-admin-warning"), body: await response.text() };
}

/** The finding for a response that is not the gateway's. */
const NOT_FROM_HERE = "the response is not that of the API";

function messageIn(body: string): string {
  const { message } = objectIn(body);
  return typeof message === "string" ? message : NOT_FROM_HERE;
}

interface Component {
  readonly status: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

function componentsOf(body: string): Readonly<Record<string, Component>> | undefined {
  const { components } = objectIn(body);
  return isObject(components) ? (components as Record<string, Component>) : undefined;
}

function shown(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Operations that an engine may have: all that the gateway does not answer by itself. */
const OPERATIONS = Object.keys(ROUTES).filter((name) => name !== "whoami");

const COUNTED = ["connections", "messages", "bytes"] as const;

/** The engine's description of itself; none where other checks report that it cannot be read. */
async function checkEngine(asking: Asking): Promise<Finding[]> {
  const { ok, unknown } = findings("engine");
  const { status, body } = await get(asking, `${BASE_PATH}/engine`);
  if (status === 404)
    return [unknown("does not say what it has: it has no describeEngine, or the gateway is without extensions")];
  const described = objectIn(body) as Partial<Output<"describeEngine">>;
  if (status !== 200 || described.name === undefined || described.operations === undefined) return [];
  const parts = [[described.name, described.version].filter(Boolean).join(" "), ...detailsOf(described)];
  return [ok(parts.join("; "))];
}

function detailsOf(described: Partial<Output<"describeEngine">>): string[] {
  const { operations = [], haltKeys, positionProjections, riskTables, gatewayTypes, counts } = described;
  const lacking = OPERATIONS.filter((name) => !operations.includes(name));
  const uncounted = counts ? COUNTED.filter((what) => !counts[what]) : [];
  return [
    lacking.length === 0 ? "has all operations" : `lacks ${lacking.join(", ")}`,
    ...(haltKeys?.length === 0 ? ["halts the whole system only"] : []),
    ...listed("positions by", positionProjections),
    ...listed(
      "risk tables",
      riskTables?.map(({ projection }) => projection || "(system-wide)"),
    ),
    ...listed("FIX gateways", gatewayTypes),
    ...(uncounted.length === 0 ? [] : [`does not count ${uncounted.join(", ")}`]),
  ];
}

function listed(what: string, names: readonly string[] | undefined): string[] {
  return names === undefined ? [] : [`${what} ${names.join(", ") || "none"}`];
}
