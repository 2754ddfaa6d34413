import type { Calls } from "../core/calls/call.ts";
import type { CallDocs } from "../core/calls/call-docs.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { BASE_PATH, REQUEST_ID, requestIds } from "../core/conventions.ts";
import type { CallName, Output } from "../core/operations/table.ts";
import {
  CLOCK,
  fieldsOf,
  functionLike,
  ifGiven,
  MS,
  type Needed,
  objectWith,
  optionsOf,
  RESERVE,
  SOME_MS,
  textLike,
} from "../core/options.ts";
import type { ApprovedRequest } from "../core/records/record.ts";
import { isObject } from "../core/values/basics.ts";
import type { Credentials } from "./credentials.ts";
import { type ClientCall, type Exchanges, exchange, type Fetch } from "./exchange.ts";
import { type ReadRetries, repeatedly } from "./read-retry.ts";
import { checkedAddress, type EncodedRequest, encodeHttpRequest } from "./request.ts";
import { callResult, type Result, unsentFailure } from "./result.ts";
import { ROUTES } from "./routes.ts";

/** Where the API is and how the client talks to it. */
export interface ClientOptions {
  /** Where the server is, such as `https://monitor:8988`; with the path that a host may have mounted the API below. */
  readonly baseUrl: string;
  /** Sent with every request: of `basic`, `bearer` or `clientCredentials`. */
  readonly credentials: Credentials;
  /** Path of the API below `baseUrl`; `/api/admin/v1` unless a host serves it elsewhere. */
  readonly basePath?: string | undefined;
  /** Sends the requests; the platform's own `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  /** How failed reads are repeated; `false` for never. */
  readonly retryReads?: ReadRetries | false | undefined;
  /** Milliseconds for one try; 15,000 by default, so that the server's response after the engine's 10 s still comes. */
  readonly timeoutMs?: number | undefined;
  /** Makes the `X-Request-Id` of a call: up to 64 of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: (() => string) | undefined;
  /** Called when part of a request had no effect, such as `cancelOrders` for a node, or part of the engine's reply cannot be shown. */
  readonly onWarning?: ((warning: AdminWarning) => void) | undefined;
  /** Source of time; tests give one that they hold. */
  readonly clock?: Clock | undefined;
}

const OF_RETRIES = fieldsOf<ReadRetries>({ retries: ifGiven(RESERVE), withinMs: ifGiven(MS) });
const READ_RETRIES: Needed = {
  like: `false or ${OF_RETRIES.like}`,
  fits: (value) => value === false || OF_RETRIES.fits(value),
};

const checked = optionsOf<ClientOptions>("createClient", {
  baseUrl: textLike('"https://monitor:8988"'),
  credentials: objectWith("authorization", 'basic("alice", password)'),
  basePath: ifGiven(textLike('"/api/admin/v1"')),
  fetch: ifGiven(functionLike("globalThis.fetch")),
  retryReads: ifGiven(READ_RETRIES),
  timeoutMs: ifGiven(SOME_MS),
  requestId: ifGiven(functionLike("() => crypto.randomUUID()")),
  onWarning: ifGiven(functionLike("({ message }) => console.warn(message)")),
  clock: ifGiven(CLOCK),
});

/** Part of a request that was carried out had no effect, or fields of the reply are null or left out (`X-Admin-Warning`). */
export interface AdminWarning {
  /** Name of the operation, such as `haltTrading`. */
  readonly operation: CallName;
  /** `X-Request-Id` of the call. */
  readonly requestId: string;
  /** Which part had no effect, or which fields are null or left out; for people. */
  readonly message: string;
}

export interface CallOptions {
  /** Ends the waiting. It does not take back a mutation: one that was sent fails with `OutcomeUnknownError`. */
  readonly signal?: AbortSignal | undefined;
  /** `X-Request-Id` of this call. */
  readonly requestId?: string | undefined;
  /** Of `updateRiskTable`: the entity tag of the table that the caller has decided by; fails with status 412 where it shows another state. */
  readonly ifMatch?: string | undefined;
  /** Called with the entity tag of a read, for {@link ifMatch}, before the call resolves. */
  readonly onEntityTag?: ((entityTag: string) => void) | undefined;
  /** Called with what the response to a command that was accepted says became of it (`X-Admin-Outcome`), before the call resolves. */
  readonly onOutcome?: ((outcome: "applied" | undefined) => void) | undefined;
  /** Called with the request of another user that a change has approved (`X-Admin-Approves`), before the call resolves. */
  readonly onApproval?: ((request: ApprovedRequest) => void) | undefined;
  /** Called besides that of the client, before the call resolves: what a read does not show cannot prove anything. */
  readonly onWarning?: ((warning: AdminWarning) => void) | undefined;
}

/**
 * The operations of the API as methods, typed from the operation table, with those beyond the specification. Each rejects with an
 * `AdminClientError` for every response but a 200 and when there is none.
 */
export type AdminClient = {
  readonly [K in keyof CallDocs]: (...input: [...Parameters<Calls[K]>, options?: CallOptions]) => Promise<Output<K>>;
};

interface Parts extends Exchanges {
  readonly retryReads: ReadRetries | false;
  readonly nextRequestId: () => string;
  readonly onWarning: ((warning: AdminWarning) => void) | undefined;
}

/**
 * Makes a client of the API, for browsers and Node. It holds no connection and needs no closing.
 *
 * @throws TypeError for a `baseUrl` that is not an http or https URL, or holds credentials, query, fragment or the path of the API.
 *
 * @example
 * const client = createClient({ baseUrl: "https://monitor:8988", credentials: basic("alice", password) });
 * await client.haltTrading({ projectionPath: "Account[GOLD]", reason: "Price feed is stale" });
 * await confirmHalted(client, "Account[GOLD]");
 */
export function createClient(options: ClientOptions): AdminClient {
  const { baseUrl, basePath = BASE_PATH, fetch = (url, init) => globalThis.fetch(url, init) } = checked(options);
  const { credentials, retryReads = {}, timeoutMs = 15_000, clock = systemClock, onWarning } = options;
  const root = `${rootOf(baseUrl, basePath)}${basePath}`;
  const nextRequestId = options.requestId ?? requestIds();
  const parts = { root, credentials, fetch, timeoutMs, clock, retryReads, nextRequestId, onWarning };
  const names = Object.keys(ROUTES) as CallName[];
  const methods = names.map((name) => [name, (input = {}, callOptions = {}) => run(parts, name, input, callOptions)]);
  return Object.fromEntries(methods) as AdminClient;
}

async function run(
  parts: Parts,
  name: CallName,
  input: Readonly<Record<string, unknown>>,
  { signal, requestId = parts.nextRequestId(), ifMatch, onEntityTag, onOutcome, onApproval, onWarning }: CallOptions,
): Promise<unknown> {
  const call: ClientCall = { name, route: ROUTES[name], input, requestId, signal, ifMatch };
  const result = await resultFor(parts, call);
  if (!result.ok) throw result.error;
  if (result.warning) tell([parts.onWarning, onWarning], { operation: name, ...result.warning });
  if (result.entityTag !== undefined) tell([onEntityTag], result.entityTag);
  if (call.route.retry === undefined) tell([onOutcome], result.outcome);
  if (result.approves) tell([onApproval], result.approves);
  return result.value;
}

async function resultFor(parts: Parts, call: ClientCall): Promise<Result> {
  const { clock, retryReads } = parts;
  let request: EncodedRequest;
  try {
    if (!REQUEST_ID.test(call.requestId))
      throw new TypeError(`the request id ${JSON.stringify(call.requestId)} is not 1 to 64 of A-Z a-z 0-9 . _ -`);
    if (!isObject(call.input)) throw new TypeError("the input is not an object with the fields of the operation");
    request = encodeHttpRequest(call.route, call.input);
  } catch (thrown) {
    return unsentFailure(call, thrown);
  }
  const attempt = async (): Promise<Result> => callResult(call, await exchange(parts, call, request), clock.now());
  // Nothing else decides about repeating: a mutation goes out once (decision D-ENG 2).
  if (call.route.retry === undefined || retryReads === false) return attempt();
  return repeatedly(retryReads, clock, call.signal, attempt);
}

/** On its own, so that what a listener throws does not look like a failure of the operation that succeeded. */
function tell<T>(listeners: readonly (((value: T) => void) | undefined)[], value: T): void {
  for (const listener of listeners) if (listener) queueMicrotask(() => listener(value));
}

/** The address without a slash at the end. */
function rootOf(baseUrl: string, basePath: string): string {
  const { origin, pathname, search } = checkedAddress("baseUrl", baseUrl);
  if (search !== "") throw new TypeError("baseUrl must not hold a query");
  const path = pathname.replace(/\/+$/, "");
  if (basePath !== "" && path.endsWith(basePath))
    throw new TypeError(`baseUrl must not hold the path of the API, ${basePath}, which is put behind it`);
  return `${origin}${path}`;
}
