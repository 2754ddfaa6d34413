import { type Authentication, type Authenticator, closedAuthenticator } from "../../src/auth/authenticator.ts";
import type { EngineRefusal } from "../../src/core/engine/transport.ts";
import { extensions } from "../../src/core/operations/extensions.ts";
import { type CallName, callRecords, operations } from "../../src/core/operations/table.ts";
import { principal } from "../../src/core/principal.ts";
import { GatewayServer } from "../../src/gateway/server/server.ts";
import { adminHandler } from "../../src/http/node.ts";
import type { Endpoint } from "../requirements/support/endpoints.ts";
import { credentials } from "../support/access-files.ts";
import { HTTP_MOUNTS, listenOn } from "../support/mounts.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { DEFAULT_LIMITS } from "../support/server-limits.ts";
import { type HttpWorld, httpWorld } from "../support/world.ts";

/** Servers over one installation that between them give every response of the document. */
export interface Servers {
  readonly world: HttpWorld;
  /** URL of an API that is closed. */
  readonly closed: string;
  /** URL of an API that checks no credentials, as too many logins fail. */
  readonly throttled: string;
  /** URL of an API whose authentication fails. */
  readonly failing: string;
  /** URL of an API behind the gateway's own server. */
  readonly gateway: string;
  close(): Promise<void>;
}

const THROTTLED: Authentication = {
  kind: "throttled",
  reason: "too many logins",
  presented: { user: null, authentication: "basic" },
};

const FAILING: Authenticator = { authenticate: () => Promise.reject(new Error("the directory is unavailable")) };

const CLOSED = "closed for the test";

export async function openServers(): Promise<Servers> {
  const [mount] = HTTP_MOUNTS;
  if (!mount) throw new Error("there is no mount");
  const world = await httpWorld(mount);
  const closed = await listenOn(mount, world.api, closedAuthenticator(CLOSED));
  const throttled = await listenOn(mount, world.api, { authenticate: () => THROTTLED });
  const failing = await listenOn(mount, world.api, FAILING);
  const server = new GatewayServer(
    adminHandler(world.api, {
      authenticator: { authenticate: () => ({ kind: "principal", principal: principal("x", []) }) },
    }),
    DEFAULT_LIMITS,
  );
  const port = await server.listen(0, "127.0.0.1");
  return {
    world,
    closed: closed.url,
    throttled: throttled.url,
    failing: failing.url,
    gateway: `http://127.0.0.1:${port}/api/admin/v1`,
    close: async () => {
      await server.close(0);
      await Promise.all([closed, throttled, failing].map((listening) => listening.close()));
      await world.close();
    },
  };
}

/** A request that is right for an endpoint. */
function requestOf({ method, path, body }: Endpoint<CallName>): RawRequest {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return { method, path, headers: { "Content-Type": "application/json" }, ...sent };
}

function asksEngine({ name }: Endpoint<CallName>): boolean {
  return !callRecords({ operations, extensions }).get(name)?.answeredHere;
}

type Provoke = (servers: Servers, endpoint: Endpoint<CallName>) => Promise<RawReply>;

/** How each status of the document is brought about; 408 takes minutes, and comes from the same place as 431. */
export const PROVOKED: Readonly<Record<number, Provoke>> = {
  200: ({ world }, endpoint) => world.http(requestOf(endpoint)),
  400: ({ world }, endpoint) => world.http({ ...requestOf(endpoint), path: `${endpoint.path}?bogus=1` }),
  401: ({ world }, endpoint) => world.http({ ...requestOf(endpoint), authorization: null }),
  403: ({ world, closed }, endpoint) =>
    endpoint.permission === null
      ? sendRaw(closed, requestOf(endpoint))
      : world.http({ ...requestOf(endpoint), authorization: credentials("viewer") }),
  404: ({ world }, endpoint) => refusedBy(world, endpoint, "not-found"),
  304: ({ world }, endpoint) =>
    world.http({ ...requestOf(endpoint), headers: { "Content-Type": "application/json", "If-None-Match": "*" } }),
  412: ({ world }, endpoint) =>
    world.http({ ...requestOf(endpoint), headers: { "Content-Type": "application/json", "If-Match": '"other"' } }),
  413: ({ world }, endpoint) => world.http({ ...requestOf(endpoint), body: Buffer.alloc(128 * 1024 + 1, " ") }),
  414: ({ gateway }, endpoint) =>
    sendRaw(gateway, { ...requestOf(endpoint), path: `${endpoint.path}?${"x".repeat(8_200)}` }),
  415: ({ world }, endpoint) => world.http({ ...requestOf(endpoint), body: "{}", headers: {} }),
  429: ({ world, throttled }, endpoint) =>
    asksEngine(endpoint) ? refusedBy(world, endpoint, "overloaded") : sendRaw(throttled, requestOf(endpoint)),
  431: ({ gateway }, endpoint) =>
    sendRaw(gateway, { ...requestOf(endpoint), headers: { "X-Long": "x".repeat(20_000) } }),
  500: ({ world, failing }, endpoint) =>
    asksEngine(endpoint) ? refusedBy(world, endpoint, "internal") : sendRaw(failing, requestOf(endpoint)),
  503: ({ world }, endpoint) => refusedBy(world, endpoint, "unavailable"),
  504: ({ world }, endpoint) => (asksEngine(endpoint) ? unanswered(world, endpoint) : world.http(requestOf(endpoint))),
};

export async function refusedBy(
  world: HttpWorld,
  endpoint: Endpoint<CallName>,
  refusal: EngineRefusal,
): Promise<RawReply> {
  world.gate.replyWith(() => ({ ok: false, refusal, message: `the engine says ${refusal}` }));
  try {
    return await world.http(requestOf(endpoint));
  } finally {
    world.gate.replyWith(undefined);
    // What it does not have now it may have then.
    world.api.compareStops();
  }
}

/** The engine hangs until nobody waits any more. */
async function unanswered(world: HttpWorld, endpoint: Endpoint<CallName>): Promise<RawReply> {
  const seen = world.gate.seen.length;
  world.gate.hold();
  try {
    const reply = world.http(requestOf(endpoint));
    await world.until(() => world.gate.seen.length > seen, { stepMs: 0 });
    world.clock.advance(10_000);
    return await reply;
  } finally {
    world.gate.release();
    await world.allAnswered();
  }
}
