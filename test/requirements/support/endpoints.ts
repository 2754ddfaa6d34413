import type { ExtensionName } from "../../../src/core/operations/extensions.ts";
import type { CallName, OperationName } from "../../../src/core/operations/table.ts";
import type { Permission } from "../../../src/core/principal.ts";

/** One endpoint as the specification has it, with values of the sample installation. Written by hand: a pin. */
export interface Endpoint<N extends CallName = OperationName> {
  readonly name: N;
  readonly method: "GET" | "POST";
  /** Path below the base path. */
  readonly path: string;
  /** A body with all that is required; undefined where the endpoint takes none. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The same request for a direct call. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Permission that is needed; null for any authenticated user. */
  readonly permission: Permission | null;
  /** Whether the response is 200 without content. */
  readonly empty: boolean;
}

const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };
const SESSION_PATH = "/fix/gateways/OE1/sessions/FIXCLIENT1";
const COMMANDS = [{ type: "UPDATE", conditions: { Source: "*" }, limits: { MaxOrderSize: "999999" } }];
const UPDATE = { projection: "Source", commands: COMMANDS };
const ADJUSTMENT = { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "10" };

function get<N extends CallName>(name: N, path: string, input: Endpoint["input"] = {}): Endpoint<N> {
  return { name, method: "GET", path, input, permission: null, empty: false };
}

function post(
  name: OperationName,
  path: string,
  permission: Permission | null,
  rest: Pick<Endpoint, "input" | "empty" | "body">,
): Endpoint {
  return { name, method: "POST", path, permission, ...rest };
}

/** All 18 endpoints, in the order of the specification. */
export const ENDPOINTS: readonly Endpoint[] = [
  get("getTradingStatus", "/trading/status"),
  post("haltTrading", "/trading/halt", "HALT_RESUME_TRADING", { body: {}, input: {}, empty: true }),
  post("resumeTrading", "/trading/resume", "HALT_RESUME_TRADING", { body: {}, input: {}, empty: true }),
  get("getRiskTable", "/risk/table"),
  post("updateRiskTable", "/risk/update", "CHANGE_RISK_LIMITS", { body: UPDATE, input: UPDATE, empty: false }),
  post("listPositions", "/positions", null, {
    body: { projection: "Exchange/Symbol" },
    input: { projection: "Exchange/Symbol" },
    empty: false,
  }),
  post("adjustPosition", "/positions/adjust", "POSITION_ADJUSTMENT", {
    body: ADJUSTMENT,
    input: ADJUSTMENT,
    empty: true,
  }),
  get("listServices", "/services"),
  get("getService", "/services/TWAP", { name: "TWAP" }),
  post("disableService", "/services/TWAP/disable", "ENABLE_DISABLE_SERVICE", {
    body: {},
    input: { name: "TWAP" },
    empty: true,
  }),
  post("enableService", "/services/TWAP/enable", "ENABLE_DISABLE_SERVICE", {
    body: {},
    input: { name: "TWAP" },
    empty: true,
  }),
  get("listFixGateways", "/fix/gateways"),
  get("getFixGateway", "/fix/gateways/OE1", { gateway: "OE1" }),
  get("listFixSessions", "/fix/gateways/OE1/sessions", { gateway: "OE1" }),
  get("getFixSession", SESSION_PATH, SESSION),
  post("disableFixSession", `${SESSION_PATH}/disable`, "CONTROL_FIX_SESSION", { input: SESSION, empty: false }),
  post("enableFixSession", `${SESSION_PATH}/enable`, "CONTROL_FIX_SESSION", { input: SESSION, empty: false }),
  post("disconnectFixSession", `${SESSION_PATH}/disconnect`, "CONTROL_FIX_SESSION", { input: SESSION, empty: false }),
];

/** The endpoints beyond the specification (decision D-HTTP 29). */
const EXTENSION_ENDPOINTS: readonly Endpoint<ExtensionName>[] = [
  get("listHalts", "/trading/halts"),
  get("whoami", "/whoami"),
  get("describeEngine", "/engine"),
];

/** An endpoint that changes something. */
export interface Mutation extends Endpoint {
  readonly permission: Permission;
}

/** The nine endpoints that change something. */
export const MUTATIONS: readonly Mutation[] = ENDPOINTS.flatMap(({ permission, ...rest }) =>
  permission === null ? [] : [{ ...rest, permission }],
);

/** The nine that only read. */
export const READS: readonly Endpoint[] = ENDPOINTS.filter(({ permission }) => permission === null);

/** The endpoint of an operation. */
export function endpoint<N extends CallName>(name: N): Endpoint<N> {
  const found = [...ENDPOINTS, ...EXTENSION_ENDPOINTS].find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no endpoint is pinned for ${name}`);
  return found as Endpoint<N>;
}
