import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as clients from "../../src/client/index.ts";
import type * as engines from "../../src/engine/index.ts";
import type * as mounts from "../../src/http/node.ts";
import type * as core from "../../src/index.ts";
import type * as testing from "../../src/testing/index.ts";
import type * as inProcess from "../../transports/in-process.ts";
import { type Ended, RepositoryCopy } from "../support/repository-copy.ts";

/** The record: a name that no other file of the repository knows. */
const RECORD = `  resetFixSequences: operation({
    ...control,
    path: "/fix/gateways/{gateway}/sessions/{session}/reset",
    lane: "change",
    direction: "neutral",
    summary: "Set both sequence numbers of a FIX session to 1",
    description: "Takes no body.",
    engineNotes: "The next message is number 1.",
    ...ofSession,
    confirmedBy: CONFIRMATIONS.resetFixSequences,
    examples: [{ summary: "Start of day", input: client1, output: { ...unconnected, status: "Disconnected" } }],
  }),
`;

const CONFIRMATION = `  resetFixSequences: {
    read: "getFixSession",
    state: "FIX session {session} of gateway {gateway} starts at 1",
    shown: [{ field: "outboundSequence", is: 1 }],
    target: ["gateway", "session"],
  },
`;

const WORDS = `  resetFixSequences: {
    sentence: ({ gateway, session }) => \`reset FIX session \${session} of gateway \${gateway}\`,
    heading: ({ gateway, session }) => \`Reset \${session} of \${gateway}\`,
  },
`;

const METHOD = `  resetFixSequences({ gateway, session }: SessionName): SessionDetail {
    return { ...this.#parts.fix.gateway(gateway).session(session), inboundSequence: 1, outboundSequence: 1 };
  }

`;

/** What generates from the operation table. */
const GENERATORS = [
  "cli/facts",
  "client/routes",
  "docs/bus-open-rpc",
  "docs/bus-reference",
  "docs/bus-schemas",
  "openapi/document.test",
];

/** Where the compiler misses an operation that only its record knows. */
const DEMANDED = [
  "src/client/routes.ts",
  "src/core/operations/command-words.ts",
  "src/engine/simulated/simulated-engine.ts",
];

const NAME = "resetFixSequences";
const SESSION = { gateway: "OE1", session: "FIXCLIENT1" };
const BASE_PATH = "/api/admin/v1";

/** The operation as programs of the copy know it; the types of this repository do not have it. */
type Nineteenth = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

describe("a nineteenth operation is one record, what confirms it, its words and one method of the engine", {
  timeout: 600_000,
}, () => {
  let copy: RepositoryCopy;
  let demanded: readonly string[];
  let touched: readonly string[];
  let generation: Ended;

  beforeAll(async () => {
    copy = new RepositoryCopy();
    copy.insert("src/core/operations/confirmations.ts", CONFIRMATION, "  disconnectFixSession: {");
    copy.insert("src/core/operations/fix.ts", RECORD, "  disconnectFixSession: operation({");
    demanded = copy.brokenFiles(DEMANDED);
    copy.insert("src/core/operations/command-words.ts", WORDS, "  disconnectFixSession: {");
    copy.insert("src/engine/simulated/simulated-engine.ts", METHOD, "  disconnectFixSession({ gateway");
    touched = copy.changes();
    const vitest = [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--project",
      "unit",
      "--project",
      "process",
      ...GENERATORS,
    ];
    generation = await copy.node(vitest, { UPDATE_DOCS: "1" });
    await copy.build();
  }, 600_000);

  afterAll(() => copy.close());

  it("the compiler demands its words, the engine's method and the client's generated table", () => {
    expect(demanded).toEqual(DEMANDED);
  });

  it("four files are written by hand; the others are generated", () => {
    expect(generation.code, generation.stdout + generation.stderr).toBe(0);
    expect(touched).toEqual([
      "src/core/operations/command-words.ts",
      "src/core/operations/confirmations.ts",
      "src/core/operations/fix.ts",
      "src/engine/simulated/simulated-engine.ts",
    ]);
    const generated = copy.changes().filter((path) => !touched.includes(path));
    expect(generated).toEqual(
      expect.arrayContaining([
        "docs/bus/openrpc.json",
        `docs/bus/schemas/${NAME}.input.json`,
        `docs/bus/schemas/${NAME}.result.json`,
        "docs/openapi.json",
        "src/client/routes.ts",
      ]),
    );
    const sources = generated.filter((path) => !path.startsWith("docs/"));
    for (const path of sources) expect(copy.read(path), path).toMatch(/^\/\/ Generated from /);
    expect(copy.brokenFiles()).toEqual([]);
  });

  it("is in the OpenAPI document and in the bus contract, with its description, notes and example", () => {
    const { paths } = JSON.parse(copy.read("docs/openapi.json"));
    const { post } = paths["/fix/gateways/{gateway}/sessions/{session}/reset"];
    expect(post).toMatchObject({ operationId: NAME, "x-permission": "CONTROL_FIX_SESSION", "x-retry": "never" });
    expect(post.description).toContain("Takes no body. Needs the permission `CONTROL_FIX_SESSION`.");
    const { methods } = JSON.parse(copy.read("docs/bus/openrpc.json"));
    const [method] = methods.filter(({ name }: { name: string }) => name === NAME);
    expect(method).toMatchObject({ description: "The next message is number 1.", "x-lane": "change" });
    expect(method.examples[0].result.value).toMatchObject({ sessionId: "FIXCLIENT1", outboundSequence: 1 });
  });

  it("is served over HTTP, called by the client and by trading-admin, confirmed, and recorded", async () => {
    const rig = await startRig(copy);
    try {
      const { basic, confirmApplied, createClient } = (await copy.load("client")) as typeof clients;
      const client = createClient({ baseUrl: rig.url, credentials: basic("alice", "secret") });
      expect(await (client as unknown as Nineteenth)[NAME]?.(SESSION)).toMatchObject({ outboundSequence: 1 });
      const state = await confirmApplied(client, NAME as never, SESSION as never, { timeoutMs: 500 }).catch(
        (error) => error,
      );
      expect(String(state)).toContain('FIX session "FIXCLIENT1" of gateway "OE1" starts at 1');
      const command = ["dist/cli/main.js", "call", NAME, JSON.stringify(SESSION), "--url", rig.url];
      const called = await copy.node(command, { TRADING_ADMIN_USER: "alice", TRADING_ADMIN_PASSWORD: "x" });
      expect(called, called.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(called.stdout)).toMatchObject({ sessionId: "FIXCLIENT1", inboundSequence: 1 });
      const { status } = await fetch(`${rig.url}${BASE_PATH}/fix/gateways/OE1/sessions/NOBODY/reset`, {
        method: "POST",
      });
      expect(status).toBe(404);
      expect(rig.records().map(({ stage, operation, target }) => [stage, operation, target])).toEqual([
        ...["intent", "applied", "intent", "applied"].map((stage) => [stage, NAME, "OE1/FIXCLIENT1"]),
        ...["intent", "rejected"].map((stage) => [stage, NAME, "OE1/NOBODY"]),
      ]);
    } finally {
      await rig.close();
    }
  });

  it("is asked for by the conformance kit, which finds an engine that carries it out after its deadline", async () => {
    const { engineConformance } = (await copy.load("testing")) as typeof testing;
    const { InProcessBus } = (await copy.load("in-process")) as typeof inProcess;
    const { loadInstallation, serveEngine, SimulatedEngine } = (await copy.load("engine")) as typeof engines;
    const installation = await loadInstallation(`${copy.folder}/examples/demo/installation.yaml`);
    const failures = async (isLateToo: boolean): Promise<unknown[]> => {
      const cases = engineConformance(async () => {
        const transport = new InProcessBus();
        const engine = new SimulatedEngine(installation);
        await serveEngine(engine, {
          listen: (handler) =>
            transport.listen(async (request) =>
              isLateToo && request.method === (NAME as string) ? { ok: true, result: {} } : handler(request),
            ),
        });
        return { transport, close: () => transport.close() };
      });
      const late = cases.filter(({ name }) => name.startsWith("deadline: every mutation"));
      const errors = await Promise.all(late.map(({ run }) => run().catch((error: unknown) => error)));
      return errors.filter((error) => error !== undefined);
    };
    expect(await failures(false)).toEqual([]);
    expect(String(await failures(true))).toContain(`${NAME} was carried out after its deadline`);
  });
});

/** The API of the copy on a port, open to anybody who sends a request. */
async function startRig(copy: RepositoryCopy) {
  const { startTestRig } = (await copy.load("testing")) as typeof testing;
  const { PERMISSIONS, principal } = (await copy.load("index")) as typeof core;
  const { adminHandler } = (await copy.load("node")) as typeof mounts;
  const { api, audit, close } = await startTestRig();
  const alice = principal("alice", PERMISSIONS);
  const authenticator = { authenticate: () => ({ kind: "principal" as const, principal: alice }) };
  const server = createServer(adminHandler(api, { authenticator }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records: () => audit.records,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}
