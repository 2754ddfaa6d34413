import { afterEach, describe, expect, it } from "vitest";
import { basic, createClient } from "../../src/client/index.ts";
import { extensionNames } from "../../src/core/operations/extensions.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { startTestRig, type TestRig, type TestRigOptions } from "../../src/testing/rig.ts";
import { InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { httpWorld } from "../support/world.ts";

const HALTS = "/api/admin/v1/trading/halts";
const NODE = "Account[GOLD]";

let rig: TestRig;

async function start(options?: TestRigOptions): Promise<TestRig> {
  rig = await startTestRig(options);
  return rig;
}

/** With an engine that does not list its halts. */
async function startWithoutList(): Promise<TestRig> {
  const started = await start();
  Reflect.set(started.engine, "listHalts", undefined);
  return started;
}

afterEach(() => rig?.close());

interface Halt {
  readonly projectionPath: string;
  readonly reason: string | null;
  readonly since: number | null;
  readonly by: string | null;
}

/** What the endpoint says once the engine has applied what it has accepted. */
async function listed(): Promise<{ readonly complete: boolean; readonly halts: readonly Halt[] }> {
  rig.clock.advance(1_000);
  const { status, json } = await rig.inject({ url: HALTS, as: "viewer" });
  expect(status).toBe(200);
  return json();
}

describe("D-HTTP 29: GET /trading/halts says what is halted, since when and by whom", () => {
  it.each(HTTP_MOUNTS)("over $name, to any user, and HEAD works", async (mount) => {
    const world = await httpWorld(mount);
    try {
      await world.call("haltTrading", { projectionPath: NODE, reason: "stale feed" });
      world.clock.advance(1_000);
      const authorization = world.authentication.credentials("viewer");
      const { body } = await world.http({ path: "/trading/halts", authorization });
      const since = expect.any(Number);
      const halt = { projectionPath: NODE, reason: "stale feed", since, by: "chief" };
      expect(JSON.parse(body)).toEqual({ complete: true, halts: [halt] });
      expect(await world.http({ method: "HEAD", path: "/trading/halts" })).toMatchObject({ status: 200, body: "" });
      expect((await world.http({ path: "/trading/halts", authorization: null })).status).toBe(401);
      expect((await world.http({ path: "/trading/halts?path=x" })).status).toBe(400);
      const post = await world.http({ method: "POST", path: "/trading/halts" });
      expect([post.status, post.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
    } finally {
      await world.close();
    }
  });

  it("has the whole system as the empty path, and nodes by their paths, however their segments were ordered", async () => {
    await start();
    const alice = rig.as("alice");
    await alice.haltTrading({ projectionPath: "Account[B]/Symbol[X]", reason: "b" });
    await alice.haltTrading({ projectionPath: "Account[A]", reason: "a" });
    await rig.as("bob").haltTrading({ reason: "all" });
    await alice.haltTrading({ projectionPath: "Account[C]", reason: "c" });
    await alice.resumeTrading({ projectionPath: "Account[C]" });
    const { halts } = await listed();
    expect(halts.map(({ projectionPath, reason, by }) => [projectionPath, reason, by])).toEqual([
      ["", "all", "bob"],
      ["Account[A]", "a", "alice"],
      ["Account[B]/Symbol[X]", "b", "alice"],
    ]);
    await alice.resumeTrading({ projectionPath: "Symbol[X]/Account[B]" });
    await alice.resumeTrading();
    expect((await listed()).halts).toMatchObject([{ projectionPath: "Account[A]" }]);
  });

  it("says neither since when nor by whom of a halt that was sent elsewhere, of which the engine shows only another reason", async () => {
    await startWithoutList();
    await rig.as("alice").haltTrading({ projectionPath: NODE, reason: "mine" });
    rig.engine.haltTrading({ projectionPath: NODE, reason: "theirs", cancelOrders: false });
    expect((await listed()).halts).toEqual([{ projectionPath: NODE, reason: "theirs", since: null, by: null }]);
    await rig.as("alice").resumeTrading({ projectionPath: NODE });
    rig.engine.haltTrading({ projectionPath: NODE, reason: "again", cancelOrders: false });
    expect((await listed()).halts).toEqual([{ projectionPath: NODE, reason: "again", since: null, by: null }]);
  });

  it("shows only what the engine shows when it is read: a resume elsewhere takes a halt off the list", async () => {
    await start();
    await rig.as("alice").haltTrading({ projectionPath: NODE });
    rig.engine.resumeTrading({ projectionPath: NODE, reason: "elsewhere" });
    expect((await listed()).halts).toEqual([]);
  });

  it("beside the halts says who disabled a service or session and why, until somebody enables it; a lost one is among the lost", async () => {
    await start({ stopCheck: true });
    const [alice, bob] = [rig.as("alice"), rig.as("bob")];
    const session = { gateway: "OE1", session: "FIXCLIENT1" };
    await alice.disableService({ name: "SIM", reason: "runaway" });
    await alice.disableFixSession(session);
    const since = expect.any(Number);
    const named = (operation: string, target: string, targetFields: object) => ({ operation, target, targetFields });
    const service = { ...named("disableService", "SIM", { name: "SIM" }), reason: "runaway", since, by: "alice" };
    const client = { ...named("disableFixSession", "OE1/FIXCLIENT1", session), reason: null, since, by: "alice" };
    expect(await listed()).toEqual({ complete: true, halts: [], stops: [service, client] });
    await bob.enableFixSession(session);
    expect(await listed()).toEqual({ complete: true, halts: [], stops: [service] });
    rig.engine.enableService({ name: "SIM", reason: "elsewhere" });
    await rig.until(async () => "lost" in (await listed()));
    expect(await listed()).toEqual({ complete: true, halts: [], lost: [service] });
  });

  it("a node that cannot be read is named in a warning, and the others are listed", async () => {
    await start();
    const paths = ["Account[A]", "Account[Bü\u202e]", "Account[C]"];
    for (const projectionPath of paths) await rig.as("alice").haltTrading({ projectionPath });
    rig.gate.replyWith(({ method, input }) => {
      if (method === "listHalts") return { ok: false, refusal: "unsupported", message: "not here" };
      const { projectionPath = "" } = input as { projectionPath?: string };
      if (projectionPath === paths[1]) return { ok: false, refusal: "internal", message: "broken" };
      return { ok: true, result: { projectionPath, halted: projectionPath !== "", reason: null } };
    });
    const { status, headers, json } = await rig.inject({ url: HALTS, as: "viewer" });
    expect(status).toBe(200);
    expect(json<{ halts: Halt[] }>().halts.map(({ projectionPath }) => projectionPath)).toEqual([paths[0], paths[2]]);
    expect(headers["x-admin-warning"]).toBe(
      'The engine did not show the state of "Account[B??]": halts there are missing from the list',
    );
  });

  it("an engine that does not answer is an error, and never an empty list", async () => {
    await start();
    rig.gate.replyWith(() => ({ ok: false, refusal: "unavailable", message: "starting" }));
    expect((await rig.inject({ url: HALTS, as: "viewer" })).status).toBe(503);
  });

  it("reads eight nodes at a time where the engine has no list, so that the lane of reads is left to others", async () => {
    await startWithoutList();
    await rig.as("viewer").listHalts();
    for (let node = 0; node < 30; node += 1) await rig.as("alice").haltTrading({ projectionPath: `Account[${node}]` });
    const reads = (): number => rig.received("getTradingStatus").length;
    rig.gate.hold();
    const listing = listed();
    await rig.until(() => reads() === 2, { stepMs: 0 });
    rig.gate.release();
    rig.gate.hold();
    await rig.until(() => reads() === 10, { stepMs: 0 });
    await new Promise(setImmediate);
    expect(reads()).toBe(10);
    rig.gate.release();
    expect((await listing).halts).toHaveLength(30);
    expect(reads()).toBe(32);
  });
});

describe("D-HTTP 29: operations beyond the specification", () => {
  it("are run by AdminApi and by its typed methods, and counted as calls", async () => {
    await start();
    const reports: unknown[] = [];
    rig.api.on("call", ({ operation, lane, status }) => reports.push([operation, lane, status]));
    expect(await rig.as("viewer").listHalts()).toEqual({ complete: true, halts: [] });
    expect(reports).toEqual([["listHalts", "read", 200]]);
  });

  it("have a typed method of the client", async () => {
    const folder = new InstallationFolder();
    try {
      const { url } = await folder.start("");
      const client = createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
      await client.haltTrading({ reason: "drill" });
      await expect
        .poll(async () => (await client.listHalts()).halts)
        .toEqual([{ projectionPath: "", reason: "drill", since: expect.any(Number), by: "chief" }]);
    } finally {
      await folder.close();
    }
  });

  it("are marked in the OpenAPI document; the specification's eighteen are counted without them", async () => {
    await start();
    const operationsOf = (api: TestRig["api"]) =>
      Object.values(openApiDocument(api, { security: "basic" }).paths).flatMap((path) => Object.values(path));
    const marked = operationsOf(rig.api).filter((operation) => operation["x-extension"] === true);
    expect(marked.map(({ operationId }) => operationId)).toEqual(extensionNames);
    expect(operationsOf(rig.api).length - marked.length).toBe(18);
    expect(operationNames).toHaveLength(18);
  });

  it("with extensions off their paths are as unknown as any other, in the document too", async () => {
    await start({ extensions: false });
    const unknown = await rig.inject({ url: "/api/admin/v1/trading/nothing", as: "viewer" });
    const gone = await rig.inject({ url: HALTS, as: "viewer" });
    expect([gone.status, gone.body]).toEqual([404, unknown.body]);
    expect(Object.keys(openApiDocument(rig.api, { security: "basic" }).paths)).not.toContain("/trading/halts");
    await expect(
      rig.api.call("listHalts", {}, { name: "x", permissions: new Set(), authentication: "direct" }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it("admin.api.extensions: false does the same in a gateway", async () => {
    const folder = new InstallationFolder();
    try {
      const { url } = await folder.start("admin.api.extensions: false");
      const client = createClient({ baseUrl: url, credentials: basic("chief", PASSWORD) });
      await expect(client.listHalts()).rejects.toMatchObject({ status: 404 });
      expect(await client.getTradingStatus()).toMatchObject({ halted: false });
    } finally {
      await folder.close();
    }
  });
});
