// What a user's compiler makes of the package. Compiled by types.test.ts against the build; a wrong type shows as an
// error, a missing error as an unused @ts-expect-error.
import { createServer } from "node:http";
import express from "express";
import { pino } from "pino";
import {
  AdminApi,
  AdminError,
  type AdminErrorCode,
  type AuditRecord,
  type CallName,
  type Calls,
  type Input,
  type Logger,
  type Output,
  type Permission,
  type Policy,
  type Principal,
  principal,
} from "trading-admin-api";
import { type AuditFile, openAuditFile } from "trading-admin-api/audit";
import { type Authenticator, basicAuthenticator, closedAuthenticator, firstOf } from "trading-admin-api/auth";
import {
  type AdminClient,
  AdminClientError,
  basic,
  bearer,
  clientCredentials,
  confirmHalted,
  createClient,
} from "trading-admin-api/client";
import { consolePage } from "trading-admin-api/console";
import { type Engine, EngineRejection, serveEngine } from "trading-admin-api/engine";
import { adminMiddleware, keepRawBody } from "trading-admin-api/express";
import {
  type EngineTransport,
  type HttpHandler,
  httpHandler,
  type InputSource,
  TransportError,
} from "trading-admin-api/extend";
import { startGateway } from "trading-admin-api/gateway";
import { adminHandler } from "trading-admin-api/node";
import { docsPage, type OpenApiDocument, openApiDocument, openApiDocuments } from "trading-admin-api/openapi";
import { allOf, twoPerson } from "trading-admin-api/policy";
import {
  type EngineMaker,
  type SimulationFailure,
  type SimulationOptions,
  type SimulationReport,
  simulate,
  startTestRig,
  type Targets,
  type TestRig,
} from "trading-admin-api/testing";
import { InProcessBus } from "trading-admin-api/transports/in-process";
import { NatsTransport } from "trading-admin-api/transports/nats";
import { WebSocketTransport } from "trading-admin-api/transports/websocket";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for equal types. */
function same<A, B>(..._proof: Equal<A, B> extends true ? [] : [never]): void {}

type KillSwitch = { projectionPath: string; halted: boolean; reason: string | null };
type Position = Output<"listPositions">[number];

/** Inputs: what has a default may be left out, what has none may not. */
export async function inputs(calls: Calls): Promise<void> {
  await calls.haltTrading();
  await calls.haltTrading({});
  await calls.haltTrading({ projectionPath: "Account[GOLD]", reason: "drill", cancelOrders: true });
  await calls.listServices();
  await calls.getRiskTable();
  await calls.adjustPosition({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "-10.5", averageCost: "NaN" });
  await calls.updateRiskTable({ projection: "", commands: [{ type: "DELETE", conditions: {} }] });
  // @ts-expect-error: which position, and how large?
  await calls.adjustPosition();
  // @ts-expect-error: without a size
  await calls.adjustPosition({ projectionPath: "" });
  // @ts-expect-error: decimals are strings
  await calls.adjustPosition({ projectionPath: "", size: 10 });
  // @ts-expect-error: a mistyped field
  await calls.haltTrading({ cancelOrder: true });
  // @ts-expect-error: a service has a name
  await calls.disableService({});
  // @ts-expect-error: no such type of command
  await calls.updateRiskTable({ projection: "", commands: [{ type: "UPSERT", conditions: {} }] });
  // @ts-expect-error: no such operation
  await calls.stopTrading();
  same<Input<"haltTrading">["cancelOrders"], boolean | undefined>();
}

/** Outputs: null where the response is empty, decimals as strings. */
export async function outputs(calls: Calls): Promise<void> {
  same<Output<"haltTrading">, null>();
  same<Output<"adjustPosition">, null>();
  same<Output<"enableService">, null>();
  const status = await calls.getTradingStatus();
  same<typeof status, KillSwitch>();
  // @ts-expect-error: there may be no reason
  status.reason.length;
  const [position] = await calls.listPositions({ projection: "Account/Symbol" });
  same<typeof position, Position | undefined>();
  same<Position["projection"], string>();
  same<Position["size"], string | null>();
  same<Position["averageCost" | "realizedPnL" | "unrealizedPnL" | "marketValue"], string | null>();
  same<Position["totalCommission" | "openBuySize" | "openSellSize"], string | null>();
  same<Position["account"], string | undefined>();
  same<Awaited<ReturnType<Calls["disableFixSession"]>>, Output<"getFixSession">>();
  same<keyof Calls, CallName>();
}

/** Principals and errors. */
export async function calls(api: AdminApi): Promise<AdminErrorCode | undefined> {
  const alice: Principal = principal("alice", ["HALT_RESUME_TRADING"]);
  // @ts-expect-error: no such permission
  principal("bob", ["HALT_TRADING"]);
  same<Permission extends string ? true : false, true>();
  const halted = await api.call("haltTrading", {}, alice);
  same<typeof halted, null>();
  // @ts-expect-error: the input of another operation
  await api.call("getService", { projection: "" }, alice);
  try {
    await api.as(alice, { requestId: "r1" }).getService({ name: "SIM" });
  } catch (error) {
    if (error instanceof AdminError) return error.code;
  }
  // @ts-expect-error: no such code
  return "NO_SUCH_CODE";
}

/** Putting the API together. */
export async function wiring(rig: TestRig): Promise<AdminApi> {
  const bus = new InProcessBus({ capacity: 10 });
  await serveEngine(rig.engine, bus);
  const audit = { write: (record: AuditRecord): void => void record.user };
  // @ts-expect-error: every mutation is recorded somewhere
  new AdminApi({ transport: bus });
  const api = new AdminApi({ transport: bus, audit, timeoutMs: 1_000, capacities: { read: 1 } });
  api.on("lateReply", ({ stage }) => void stage);
  // @ts-expect-error: no such event
  api.on("late", () => {});
  const authenticator: Authenticator = closedAuthenticator("not yet");
  const app = express();
  app.use(express.json({ verify: keepRawBody }));
  app.use("/monitor", ...adminMiddleware(api, { authenticator }));
  app.use(...adminMiddleware(api, { authenticator, basePath: "/admin", maxBodyBytes: 1_000 }));
  createServer(adminHandler(api, { authenticator, next: app })).unref();
  // @ts-expect-error: the API does not run without authentication
  adminHandler(api, {});
  void [startGateway, startTestRig];
  return api;
}

/** A third party's engine is typed from the table. */
export function thirdParty(engine: Engine): Engine {
  return {
    ...engine,
    haltTrading: async ({ projectionPath, cancelOrders }, { user }) => {
      same<typeof projectionPath, string>();
      same<typeof cancelOrders, boolean>();
      if (user === "") throw new EngineRejection("rejected", "who?");
      return null;
    },
    // @ts-expect-error: an output of another shape
    getTradingStatus: () => ({ halted: "yes" }),
  };
}

/** The engine in another process, and an audit file that is closed by its host. */
export async function overTheWire(): Promise<AuditFile> {
  const audit = await openAuditFile({ path: "audit.jsonl" });
  for (const transport of [
    new WebSocketTransport({ url: "wss://engine:8989", token: "t", onEvent: ({ kind }) => void kind }),
    new NatsTransport({ servers: ["nats://a:4222", "nats://b:4222"] }),
  ]) {
    await new AdminApi({ transport, audit }).start();
  }
  // @ts-expect-error: the engine's address is needed
  new WebSocketTransport({});
  return audit;
}

/** The client over HTTP: the same inputs and outputs, and options of its own. */
export async function overHttp(): Promise<AdminClient> {
  const baseUrl = "https://monitor:8988";
  const client = createClient({ baseUrl, credentials: basic("operator", "secret") });
  same<keyof AdminClient, CallName>();
  const status = await client.getTradingStatus({}, { signal: AbortSignal.timeout(1_000), requestId: "r1" });
  same<typeof status, KillSwitch>();
  const confirmed = await confirmHalted(client, "Account[GOLD]", { timeoutMs: 1_000 });
  same<typeof confirmed, KillSwitch>();
  const positions = await client.listPositions({ projection: "Account/Symbol" });
  same<typeof positions, Position[]>();
  const halted = await client.haltTrading({ reason: "drill" }).catch((error: unknown) => {
    if (error instanceof AdminClientError)
      same<typeof error.outcome, "applied" | "not-applied" | "unknown" | undefined>();
    throw error;
  });
  same<typeof halted, null>();
  // @ts-expect-error: a mistyped field
  await client.haltTrading({ cancelOrder: true });
  // @ts-expect-error: decimals are strings
  await client.adjustPosition({ projectionPath: "", size: 10 });
  // @ts-expect-error: which service?
  await client.disableService();
  // @ts-expect-error: no such option
  await client.listServices({}, { retry: true });
  // @ts-expect-error: the API does not run without authentication
  createClient({ baseUrl });
  const tokenUrl = "https://login/token";
  // @ts-expect-error: id and secret travel in the header or in the body
  clientCredentials({ tokenUrl, clientId: "bot", clientSecret: "s", authentication: "query" });
  const tokens = clientCredentials({ tokenUrl, clientId: "bot", clientSecret: "s" });
  bearer(() => "token");
  return createClient({ baseUrl, credentials: bearer(tokens), fetch, retryReads: { retries: 1 } });
}

/** The description of the API, served beside it. */
export function describeApi(api: AdminApi): OpenApiDocument {
  const authenticator = closedAuthenticator("it is Sunday");
  createServer(
    adminHandler(api, {
      authenticator,
      documents: [...openApiDocuments(api, { security: "basic" }), ...docsPage(), ...consolePage()],
    }),
  );
  // @ts-expect-error: which security scheme?
  openApiDocument(api);
  return openApiDocument(api, { security: "bearer" });
}

/** What winston 3 declares of its loggers. */
interface WinstonMethod {
  (message: string, callback: (error?: unknown) => void): WinstonLogger;
  (message: string, meta: unknown, callback: (error?: unknown) => void): WinstonLogger;
  (message: string, ...meta: unknown[]): WinstonLogger;
  (message: unknown): WinstonLogger;
  (info: object): WinstonLogger;
}

interface WinstonLogger {
  readonly info: WinstonMethod;
  readonly warn: WinstonMethod;
  readonly error: WinstonMethod;
}

/** Loggers: those of pino, winston and Node fit as they are. */
export function loggers(winston: WinstonLogger): readonly Logger[] {
  return [pino(), winston, console];
}

/** Policies: the operation says what the input is. */
export const policy: Policy = allOf(
  ({ operation, input, direction, context }) => {
    if (operation !== "updateRiskTable") return undefined;
    same<typeof direction, "tightens" | "loosens" | "neutral">();
    context.annotate("commands", String(input.commands.length));
    return direction === "loosens" ? "only tighter limits" : undefined;
  },
  twoPerson({ operations: ["resumeTrading"], withinMs: 60_000 }),
);

/** Users of the host, and several authenticators as one. */
export const combined: Authenticator = firstOf(
  closedAuthenticator("not yet"),
  basicAuthenticator({
    realm: "monitor",
    verify: async (user, password) => (password === "secret" ? principal(user, ["CONTROL_FIX_SESSION"]) : undefined),
  }),
);

/** The handler below all adapters. */
export function handlerOf(api: AdminApi): HttpHandler {
  return httpHandler(api, { authenticator: combined });
}

/** An adapter for a protocol of its own reads the input when the API asks for it. */
export function haltOf(api: AdminApi, message: { read(): Promise<unknown> }): Promise<unknown> {
  const source: InputSource = { known: {}, read: () => message.read() };
  return api.invoke("haltTrading", source, principal("alice", ["HALT_RESUME_TRADING"]));
}

/** A transport that never reaches its engine: nothing was sent, and the API says so. */
export const unreachable: EngineTransport = {
  state: "down",
  start: async () => {},
  close: async () => {},
  exchange: () => {
    throw new TransportError("unavailable", "there is no way to the engine", { sent: false });
  },
};

/** A simulation takes any engine, and what there is in its installation. */
export async function simulated(engine: EngineMaker, targets: Targets): Promise<string | undefined> {
  const options: SimulationOptions = { seed: 1, histories: 10, engine, targets };
  const report: SimulationReport = await simulate(options);
  const failure: SimulationFailure | undefined = report.failure;
  // @ts-expect-error: which histories?
  await simulate({ seed: 1 });
  return failure && `${failure.problems.join("\n")} ${failure.history} ${failure.seed}`;
}

/** Faults: typed by their operation and kind. */
export async function faults(): Promise<void> {
  const rig = await startTestRig({ users: { alice: { password: "secret", permissions: ["HALT_RESUME_TRADING"] } } });
  rig.faults.add({ operation: "haltTrading", kind: "delay", ms: 10, when: ({ input }) => input.cancelOrders });
  // @ts-expect-error: a delay of how long?
  rig.faults.add({ operation: "haltTrading", kind: "delay" });
  // @ts-expect-error: a halt has no size
  rig.faults.add({ operation: "haltTrading", kind: "drop", when: ({ input }) => input.size === "1" });
  same<ReturnType<typeof rig.received<"adjustPosition">>[number]["input"]["size"], string>();
  const { status } = await rig.inject({ url: "/api/admin/v1/services", as: "alice" });
  same<typeof status, number>();
  throw new EngineRejection("overloaded", "later");
}
