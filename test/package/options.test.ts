import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openAuditFile } from "../../src/audit/index.ts";
import {
  basicAuthenticator,
  openLdapAuthentication,
  openSimpleAuthentication,
  openTokenAuthentication,
} from "../../src/auth/index.ts";
import { basic, clientCredentials, confirmApplied, createClient } from "../../src/client/index.ts";
import { consolePage } from "../../src/console/index.ts";
import { EngineRejection, loadInstallation, SimulatedEngine } from "../../src/engine/index.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { loadSettings, startGateway } from "../../src/gateway/index.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { adminHandler, guardServer } from "../../src/http/node.ts";
import { AdminApi, principal } from "../../src/index.ts";
import { docsPage, openApiDocument } from "../../src/openapi/index.ts";
import { allOf, freeze, onlyPaths, readOnly, stopOnly, twoPerson } from "../../src/policy/index.ts";
import { engineConformance, simulate, startTestRig, transportConformance } from "../../src/testing/index.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { NatsTransport, openNatsBus } from "../../transports/nats.ts";
import { openWebSocketBus, WebSocketTransport } from "../../transports/websocket.ts";

const { compilerOptions } = JSON.parse(readFileSync(new URL("../../tsconfig.json", import.meta.url), "utf8"));
const ENTRIES = Object.values(compilerOptions.paths as Record<string, [string]>).map(([path]) => path);

/** What programs catch, or what an API makes and hands out; nobody but this library makes one. */
const MADE_HERE = /Error$|^ValidInput$/;

/** Of the errors, those that programs throw. */
const THROWN_BY_PROGRAMS = ["TransportError"];

/** What has a meaning without arguments, and a function that another library calls. */
const NEEDS_NOTHING = new Set([
  "FaultScript",
  "Gate",
  "InProcessBus",
  "ManualClock",
  "MemoryAudit",
  "closedAuthenticator",
  "consolePage",
  "docsPage",
  "keepRawBody",
  "projectionKeys",
  "readOnly",
  "startTestRig",
  "stopOnly",
]);

const authenticator = { authenticate: () => ({ kind: "challenge", challenge: "Basic" }) as const };

type Callable = (...args: unknown[]) => unknown;

async function publicFunctions(): Promise<[name: string, call: Callable][]> {
  const entries = await Promise.all(
    ENTRIES.map(async (path): Promise<Record<string, unknown>> => import(/* @vite-ignore */ `../../${path}`)),
  );
  return entries
    .flatMap((entry) => Object.entries(entry))
    .flatMap(([name, value]) => (typeof value === "function" ? [[name, callOf(value)] as [string, Callable]] : []))
    .filter(([name]) => !NEEDS_NOTHING.has(name) && (!MADE_HERE.test(name) || THROWN_BY_PROGRAMS.includes(name)));
}

/** Calls a function, or makes an instance of a class. */
function callOf(value: object): Callable {
  const isClass = /^class\b/.test(Function.prototype.toString.call(value));
  return (...args) =>
    isClass ? Reflect.construct(value as never, args) : Reflect.apply(value as Callable, undefined, args);
}

async function thrownBy(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe("D-PKG 17: what a public class or function cannot do without is said when it is called without it", async () => {
  it.each(await publicFunctions())("%s", async (_name, call) => {
    const thrown = await thrownBy(call);
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as Error).message).toMatch(/ needs (?:`\w+`, such as \S|at least one)/);
  });
});

describe("D-PKG 17: an option that there is not is refused, where it would be ignored", () => {
  const api = new AdminApi({ transport: new InProcessBus(), audit: { write: () => {} } });
  const open = (): never => {
    throw new Error("no fixture is opened");
  };

  it.each<[string, (options: never) => unknown]>([
    ["AdminApi", (options) => new AdminApi(options)],
    ["adminHandler", (options) => adminHandler(api, options)],
    ["adminMiddleware", (options) => adminMiddleware(api, options)],
    ["guardServer", (options) => guardServer({ listenerCount: () => 0 } as never, api, options)],
    ["basicAuthenticator", (options) => basicAuthenticator(options)],
    ["openSimpleAuthentication", (options) => openSimpleAuthentication(options)],
    ["openLdapAuthentication", (options) => openLdapAuthentication(options)],
    ["openTokenAuthentication", (options) => openTokenAuthentication(options)],
    ["openAuditFile", (options) => openAuditFile(options)],
    ["createClient", (options) => createClient(options)],
    ["clientCredentials", (options) => clientCredentials(options)],
    ["confirmApplied", (options) => confirmApplied({ getService: open }, "enableService", { name: "SOR" }, options)],
    ["consolePage", (options) => consolePage(options)],
    ["docsPage", (options) => docsPage(options)],
    ["openApiDocument", (options) => openApiDocument(api, options)],
    ["loadSettings", (options) => loadSettings("application.yaml", options)],
    ["startGateway", (options) => startGateway(options)],
    ["freeze", (options) => freeze(options)],
    ["twoPerson", (options) => twoPerson(options)],
    ["startTestRig", (options) => startTestRig(options)],
    ["simulate", (options) => simulate(options)],
    ["engineConformance", (options) => engineConformance(open, undefined, options)],
    ["transportConformance", (options) => transportConformance(open, options)],
    ["InProcessBus", (options) => new InProcessBus(options)],
    ["WebSocketTransport", (options) => new WebSocketTransport(options)],
    ["openWebSocketBus", (options) => openWebSocketBus(options)],
    ["NatsTransport", (options) => new NatsTransport(options)],
    ["openNatsBus", (options) => openNatsBus(options)],
  ])("of %s", async (_name, call) => {
    const thrown = await thrownBy(() => call({ misspelt: 1 } as never));
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as Error).message).toContain("has no option `misspelt`");
  });

  it("of SimulatedEngine", async () => {
    const installation = await loadInstallation(sampleInstallation());
    expect(() => new SimulatedEngine(installation, { sed: 1 } as never)).toThrow(
      "has no option `sed`; it has `clock`, ",
    );
  });

  it("with the options that there are, or with what is missing", () => {
    const authenticate = { audit: { write: () => {} }, transport: new InProcessBus(), authorise: () => "no" };
    expect(() => new AdminApi(authenticate as never)).toThrow(/no option `authorise`; it has .*`authorize`/);
    const windows = ["Mon-Fri 08:55-09:05"];
    expect(() => freeze({ windows, timezone: "Europe/Berlin" } as never)).toThrow("no option `timezone`");
    expect(() => new WebSocketTransport({ uri: "ws://127.0.0.1:1" } as never)).toThrow(
      'WebSocketTransport needs `url`, such as "ws://127.0.0.1:8989"; it has no option `uri`',
    );
  });

  it("one that is undefined, as a program may have none, is not", () => {
    expect(() => new InProcessBus({ capcity: undefined } as never)).not.toThrow();
  });
});

describe("D-PKG 17: a value that an option cannot have is refused, where it would fail or refuse each call", () => {
  const needed = { transport: new InProcessBus(), audit: { write: () => {} } };
  const api = new AdminApi(needed);
  const ofApi = (option: object): unknown => new AdminApi({ ...needed, ...option });
  const ofHandler = (option: object): unknown => adminHandler(api, { authenticator, ...option });
  const login = { realm: "monitor", verify: () => undefined };
  const credentials = basic("alice", "wonderland");
  const baseUrl = "http://127.0.0.1:8988";
  const url = "ws://127.0.0.1:1";

  it.each<[option: string, value: unknown, make: (option: object) => unknown]>([
    ["timeoutMs", Number.NaN, ofApi],
    ["timeoutMs", "10s", ofApi],
    ["timeoutMs", 2 ** 32, ofApi],
    ["capacities", { stop: 0 }, ofApi],
    ["capacities", { stopp: 3 }, ofApi],
    ["userShare", Number.NaN, ofApi],
    ["userShare", 0, ofApi],
    ["userShare", 50, ofApi],
    ["gateway", "", ofApi],
    ["authorize", "readOnly", ofApi],
    ...[allOf, freeze, onlyPaths, readOnly, stopOnly, twoPerson].map((uncalled): [string, unknown, typeof ofApi] => [
      "authorize",
      uncalled,
      ofApi,
    ]),
    ["policy", readOnly, (options) => startTestRig(options)],
    ["log", { warn: () => {} }, ofApi],
    ["unknownFields", "ignored", ofApi],
    ["projectionKeys", "Desk", ofApi],
    ["clock", { now: () => 0 }, ofApi],
    ["maxBodyBytes", Number.NaN, ofHandler],
    ["trustedProxies", ["10.0.0.0/8"], ofHandler],
    ["onResponse", {}, ofHandler],
    ["documents", [[{ path: "/docs" }]], ofHandler],
    ["checksAtATime", 0, (option) => basicAuthenticator({ ...login, ...option })],
    ["maxLoginDelayMs", "5s", (option) => basicAuthenticator({ ...login, ...option })],
    ["maxFiles", 1, (option) => openAuditFile({ path: "never-made.jsonl", ...option })],
    ["withinMs", "5m", (option) => twoPerson({ operations: ["resumeTrading"], ...option })],
    ["timeoutMs", Number.POSITIVE_INFINITY, (option) => createClient({ baseUrl, credentials, ...option })],
    ["retryReads", true, (option) => createClient({ baseUrl, credentials, ...option })],
    ["onEvent", console, (option) => new WebSocketTransport({ url, ...option })],
    ["reconnect", { initialMs: 100 }, (option) => new WebSocketTransport({ url, ...option })],
    ["stopReserve", -1, (option) => new InProcessBus(option)],
    ["audiences", [], (option) => openTokenAuthentication({ log: console, ...option })],
    ["tls", { ca: 1 }, (option) => new NatsTransport({ servers: "nats://127.0.0.1:1", ...option })],
  ])("%s: %o", async (option, value, make) => {
    const thrown = await thrownBy(() => make({ [option]: value }));
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as Error).message).toMatch(new RegExp(` cannot use this \`${option}\`; it takes \\S`));
  });

  it.each<[string, () => unknown, string]>([
    ["stopOnly of no user", () => stopOnly([]), "stopOnly needs `users`, such as"],
    ["stopOnly of no user, in what is read once", () => stopOnly([].values()), "stopOnly needs `users`, such as"],
    ["stopOnly of an empty name", () => stopOnly([""]), "stopOnly needs `user`, such as"],
    ["stopOnly of a wildcard", () => stopOnly(new Set(["ann", "*"])), "stopOnly needs `user`, such as"],
    ["freeze in no window", () => freeze({ windows: [] }), "freeze needs `windows`, such as"],
    ["twoPerson for no change", () => twoPerson({ operations: [] }), "twoPerson needs `operations`, such as"],
    ["onlyPaths of no user", () => onlyPaths({}), "onlyPaths needs `paths`, such as"],
    ["onlyPaths of an empty name", () => onlyPaths({ "": ["Account[GOLD]"] }), "onlyPaths needs `paths`, such as"],
    ["onlyPaths of a wildcard", () => onlyPaths({ "*": ["Account[GOLD]"] }), "onlyPaths needs `paths`, such as"],
    ["allOf no policies", () => allOf(), "allOf needs `policies`, such as"],
    ["allOf what makes a policy", () => allOf(readOnly as never), "allOf needs `policies`, such as stopOnly()"],
  ])("%s, which would restrict nobody", async (_what, make, message) => {
    const thrown = await thrownBy(make);
    expect(thrown).toBeInstanceOf(TypeError);
    expect((thrown as Error).message).toContain(message);
  });

  it("a set of windows or changes restricts as a list does, and a generator, which is empty the second time, is refused", () => {
    const [windows, changes] = [["Mon-Fri 09:25-09:35"], ["resumeTrading"] as const];
    expect(() => freeze({ windows: new Set(windows) } as never)).not.toThrow();
    expect(() => twoPerson({ operations: new Set(changes) } as never)).not.toThrow();
    expect(() => freeze({ windows: windows.values() } as never)).toThrow("freeze needs `windows`");
  });

  it("a key of a projection that no path could name", () => {
    expect(() => new AdminApi({ ...needed, projectionKeys: ["bad key"] })).toThrow(
      'projectionKeys needs `key`, such as "Desk", a capital letter, then letters and digits',
    );
  });

  it("says the values that fit", () => {
    expect(() => new AdminApi({ ...needed, capacities: { stop: 0 } })).toThrow(
      "it takes { stop: a whole number from 1 to 1000000, change: ",
    );
  });
});

it("an engine that refuses with a kind that there is not is told the kinds", () => {
  expect(() => new EngineRejection("notFound" as never, "Unknown service")).toThrow(
    'EngineRejection needs `refusal`, such as "rejected" or "not-found"',
  );
});

describe("D-PKG 17: a method that would fail later, or let a test pass that proves nothing, says what it needs", () => {
  it("AdminApi: a principal in place of a name, an event that there is", async () => {
    const api = new AdminApi({ transport: new InProcessBus(), audit: { write: () => {} } });
    expect(() => api.as("alice" as never)).toThrow('AdminApi.as needs `principal`, such as principal("alice", [');
    expect(() => api.on("fail" as never, () => {})).toThrow('AdminApi.on needs `event`, such as "call" or "failure"');
    expect(() => api.on("failure", undefined as never)).toThrow("AdminApi.on needs `listener`");
  });

  it.each<[string, unknown[], string]>([
    ["an empty name", [""], 'principal needs `name`, such as "alice"'],
    [
      "a permission that does not exist",
      ["ann", ["halt"]],
      'principal "ann" cannot have "halt"; permissions are HALT_RESUME_TRADING, ',
    ],
    [
      "a permission in lower case",
      ["ann", new Set(["halt_resume_trading"])],
      'principal "ann" cannot have "halt_resume_trading"',
    ],
    ["a text of permissions", ["ann", "HALT_RESUME_TRADING"], "principal needs `permissions`, such as ["],
  ])("principal: not %s", (_what, given, message) => {
    expect(() => Reflect.apply(principal, undefined, given)).toThrow(message);
  });

  const open = async () => ({ transport: new InProcessBus(), close: async () => {} });

  it.each<[string, unknown[], string]>([
    ["a misspelt landmark", [open, { haltpath: "Account[A]" }], 'Unrecognized key: "haltpath"'],
    ["a path that is none", [open, { haltPath: "Account" }], "haltPath: "],
    ["a misspelt operation", [open, {}, { operations: ["haltTradin"] }], "operations.0: "],
  ])("engineConformance: not %s, which would leave out cases", (_what, given, message) => {
    expect(() => Reflect.apply(engineConformance, undefined, given)).toThrow(message);
  });

  it.each<[string, unknown, string]>([
    ["a bare transport", new InProcessBus(), "The fixture of engineConformance needs `transport`"],
    ["nothing to close it with", { transport: new InProcessBus() }, "The fixture of engineConformance needs `close`"],
    ["a close without a promise", { transport: new InProcessBus(), close: () => {} }, "No engine is on the bus"],
  ])("engineConformance: %s does not hide what is wrong", async (_what, fixture, message) => {
    const cases = engineConformance(async () => fixture as never, {});
    const ofRoot = cases.find(({ name }) => name.startsWith("trading: a halt of the root"));
    await expect(ofRoot?.run()).rejects.toThrow(message);
  });

  it.each(["Account[GOLD]", ["Account[GOLD]"], null])(
    "a call of a client: an input that is an object, not %j",
    async (input) => {
      const client = createClient({
        baseUrl: "http://127.0.0.1:1",
        credentials: basic("alice", "wonderland"),
        fetch: () => Promise.reject(new Error("was sent")),
      });
      await expect(client.haltTrading(input as never)).rejects.toThrow("the input is not an object");
    },
  );

  it("the rig: a fault of a kind and an operation that there are, the address of a request, a condition", async () => {
    const rig = await startTestRig();
    expect(() => rig.faults.add({ kind: "lat" } as never)).toThrow('A fault needs `kind`, such as "delay" or "drop"');
    expect(() => rig.faults.add({ kind: "late", operation: "halt" } as never)).toThrow("A fault needs `operation`");
    expect(() => rig.faults.add({ kind: "late", time: 1 } as never)).toThrow("A fault has no option `time`");
    await expect(rig.inject({ path: "/" } as never)).rejects.toThrow("inject needs `url`, such as ");
    await expect(rig.until(undefined as never)).rejects.toThrow("until needs `condition`");
    await rig.close();
  });
});
