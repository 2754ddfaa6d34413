import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import compression from "compression";
import express from "express";
import { afterEach, describe, expect, it } from "vitest";
import { namesTag } from "../../src/http/conditions.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { ENDPOINTS, endpoint } from "../requirements/support/endpoints.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import type { RawReply } from "../support/raw-http.ts";
import { type HttpWorld, httpWorld } from "../support/world.ts";

const READS = [
  ...ENDPOINTS.filter(({ name }) => /^(?:get|list)/.test(name)),
  endpoint("listHalts"),
  endpoint("whoami"),
];
const GETS = READS.filter(({ method }) => method === "GET");
const COMMANDS = ENDPOINTS.filter(({ name }) => !/^(?:get|list)/.test(name));
const JSON_TYPE = { "Content-Type": "application/json" };

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(mount = HTTP_MOUNTS[0]): Promise<HttpWorld> {
  if (!mount) throw new Error("no mount");
  const world = await httpWorld(mount);
  closers.push(() => world.close());
  return world;
}

async function openRig(): Promise<TestRig> {
  const rig = await startTestRig();
  closers.push(async () => rig.close());
  return rig;
}

function tagOf(body: string | Buffer): string {
  return `"${createHash("sha256").update(body).digest("base64url")}"`;
}

/** Changes a limit of the risk table of `Source` at the engine, where no gateway sees it. */
function changeElsewhere({ engine }: Pick<TestRig, "engine">, limit = "123"): void {
  const commands = [{ type: "UPDATE" as const, conditions: { Source: "*" }, limits: { MaxOrderSize: limit } }];
  engine.updateRiskTable({ projection: "Source", commands });
}

describe("D-HTTP 37: reads have a strong entity tag, and a caller who has the content gets 304", () => {
  it.each(HTTP_MOUNTS)("over $name, GET and HEAD of every read", async (mount) => {
    const world = await open(mount);
    for (const { name, method, path, body } of READS) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: JSON_TYPE };
      const full = await world.http({ method, path, ...sent });
      expect([name, full.status, full.headers.etag]).toEqual([name, 200, tagOf(full.body)]);
    }
    for (const { path } of GETS) {
      const full = await world.http({ path });
      for (const method of ["GET", "HEAD"]) {
        const known = await world.http({ method, path, headers: { "If-None-Match": full.headers.etag ?? "" } });
        expect(known, `${method} ${path}`).toMatchObject({ status: 304, body: "" });
        expect(known.headers).toMatchObject({ etag: full.headers.etag, "cache-control": "no-store" });
        expect(known.headers).toMatchObject({ "x-request-id": expect.any(String) });
        expect(known.headers).not.toHaveProperty("content-type");
        expect(known.headers).not.toHaveProperty("content-length");
        const other = await world.http({ method, path, headers: { "If-None-Match": '"other"' } });
        expect(other.headers).toMatchObject({
          etag: full.headers.etag,
          "content-length": full.headers["content-length"],
        });
      }
    }
  });

  it("a changed state has another tag, and the old one gives 200 with the new state", async () => {
    const rig = await openRig();
    const url = "/api/admin/v1/risk/table?projection=Source";
    const before = await rig.inject({ url, as: "viewer" });
    changeElsewhere(rig);
    const headers = { "If-None-Match": before.headers.etag ?? "" };
    const after = await rig.inject({ url, headers, as: "viewer" });
    expect([after.status, after.headers.etag]).toEqual([200, tagOf(after.body)]);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it("that of a list which is written in parts is over all its bytes", async () => {
    const world = await open();
    const rows = Array.from({ length: 1_700 }, (_, index) => ({
      conditions: { Source: `Ü${index}` },
      limits: { MaxOrderSize: `${index}` },
    }));
    world.gate.replyWith(() => ({ ok: true, result: { projection: "Source", rows } }));
    const path = "/risk/table?projection=Source";
    const full = await world.http({ path });
    expect(JSON.parse(full.body).rows).toHaveLength(1_700);
    expect(full.headers.etag).toBe(tagOf(full.body));
    expect((await world.http({ path, headers: { "If-None-Match": full.headers.etag ?? "" } })).status).toBe(304);
    rows.push({ conditions: { Source: "*" }, limits: { MaxOrderSize: "0" } });
    expect((await world.http({ path, headers: { "If-None-Match": full.headers.etag ?? "" } })).status).toBe(200);
  });

  it("a 304 carries the warning of the 200: what the caller has is not the whole reply", async () => {
    const rig = await openRig();
    const status = { projectionPath: "", halted: false, reason: 7 };
    rig.gate.replyWith(() => ({ ok: true, result: status }));
    const request = { url: "/api/admin/v1/trading/status", as: "viewer" };
    const full = await rig.inject(request);
    expect(full.headers["x-admin-warning"]).toMatch(/breaks the contract/);
    const known = await rig.inject({ ...request, headers: { "If-None-Match": full.headers.etag ?? "" } });
    expect([known.status, known.headers["x-admin-warning"]]).toEqual([304, full.headers["x-admin-warning"]]);
  });

  it("commands and errors have none, and conditions of reads without a state change nothing", async () => {
    const world = await open();
    for (const { method, path, body = {} } of COMMANDS) {
      const sent = { method, path, body: JSON.stringify(body), headers: { ...JSON_TYPE, "If-None-Match": "*" } };
      const { status, headers } = await world.http(sent);
      expect([path, status, headers.etag]).toEqual([path, 200, undefined]);
    }
    const missing = await world.http({ path: "/services/none", headers: { "If-None-Match": "*" } });
    expect([missing.status, missing.headers.etag]).toEqual([404, undefined]);
    const denied = await world.http({ path: "/services", authorization: null, headers: { "If-None-Match": "*" } });
    expect([denied.status, denied.headers.etag]).toEqual([401, undefined]);
  });

  it("If-Match comes before If-None-Match: 412 where it does not name the present state", async () => {
    const world = await open();
    const ask = (headers: Record<string, string>): Promise<RawReply> => world.http({ path: "/services", headers });
    const tag = (await ask({})).headers.etag ?? "";
    expect((await ask({ "If-Match": tag })).status).toBe(200);
    expect((await ask({ "If-Match": "*" })).status).toBe(200);
    expect((await ask({ "If-Match": tag, "If-None-Match": tag })).status).toBe(304);
    for (const other of ['"other"', `W/${tag}`, ""]) {
      const failed = await ask({ "If-Match": other, "If-None-Match": tag });
      expect([other, failed.status, JSON.parse(failed.body).error]).toEqual([other, 412, "Precondition Failed"]);
    }
  });

  it("behind Express' compression the tag is the same, and 304 works, also for a tag that a proxy has weakened", async () => {
    const rig = await openRig();
    const authentication = await openSuiteAuthentication();
    const app = express();
    app.use(compression({ threshold: 0 }));
    app.use(...adminMiddleware(rig.api, { authenticator: authentication.authenticator }));
    const server = createServer(app).listen(0, "127.0.0.1");
    await once(server, "listening");
    closers.push(
      async () => void server.close(),
      async () => authentication.close(),
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/admin/v1/risk/table?projection=Source`;
    const headers = { Authorization: credentials("viewer"), "Accept-Encoding": "gzip" };
    const packed = await fetch(url, { headers });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    const tag = packed.headers.get("etag") ?? "";
    expect(tag).toBe(tagOf(await packed.text()));
    for (const known of [tag, `W/${tag}`, `"other", W/${tag}`]) {
      const again = await fetch(url, { headers: { ...headers, "If-None-Match": known } });
      expect([known, again.status, await again.text()]).toEqual([known, 304, ""]);
    }
  });
});

describe("D-HTTP 37: entity tags are compared as RFC 9110 says", () => {
  it.each([
    ['"a"', true, true],
    ['W/"a"', false, true],
    ["*", true, true],
    [" * ", true, true],
    ['"b", "a"', true, true],
    ['"b",W/"a"', false, true],
    [', ,"a",', true, true],
    ['"x,"a""', false, false],
    ["a", false, false],
    ['"A"', false, false],
    ['"a', false, false],
    ["", false, false],
    ['"*"', false, false],
    ['"b"', false, false],
  ])('%s names the tag "a": strongly %s, weakly %s', (header, strongly, weakly) => {
    expect([namesTag(header, '"a"', "strong"), namesTag(header, '"a"', "weak")]).toEqual([strongly, weakly]);
  });
});

describe("D-HTTP 38: a risk update with If-Match is sent only where the table is the one that it names", () => {
  const TABLE = "/risk/table?projection=Source";
  const UPDATE = {
    method: "POST",
    path: "/risk/update",
    body: JSON.stringify({
      projection: "Source",
      commands: [{ type: "UPDATE", conditions: { Source: "*" }, limits: { MaxOrderSize: "77" } }],
    }),
  };

  async function update(world: HttpWorld, tag: string): Promise<RawReply> {
    return world.http({ ...UPDATE, headers: { ...JSON_TYPE, "If-Match": tag } });
  }

  async function tableTag(world: HttpWorld): Promise<string> {
    return (await world.http({ path: TABLE })).headers.etag ?? "";
  }

  const updates = (world: HttpWorld): number => world.received("updateRiskTable").length;

  it.each(HTTP_MOUNTS)("over $name", async (mount) => {
    const world = await open(mount);
    const tag = await tableTag(world);
    expect(await update(world, tag)).toMatchObject({ status: 200, headers: { "x-admin-outcome": "applied" } });
    const stale = await update(world, tag);
    expect(stale).toMatchObject({ status: 412, headers: { "x-admin-outcome": "not-applied" } });
    expect(JSON.parse(stale.body)).toEqual({
      status: 412,
      error: "Precondition Failed",
      message: "The state is not the one that If-Match names: getRiskTable shows another one now; nothing was sent",
    });
    expect(updates(world)).toBe(1);
    expect((await update(world, `"other", ${await tableTag(world)}`)).status).toBe(200);
  });

  it("compares with what the engine shows right before: a change at the engine is 412, and recorded as not sent", async () => {
    const world = await open();
    const tag = await tableTag(world);
    changeElsewhere(world);
    expect((await update(world, tag)).status).toBe(412);
    expect(updates(world)).toBe(0);
    const records = world.audit.records.filter(({ operation }) => operation === "updateRiskTable");
    expect(records.map(({ stage, status }) => [stage, status])).toEqual([
      ["intent", undefined],
      ["not-sent", 412],
    ]);
  });

  it.each(['"other"', "", "x"])("%j names no table: 412", async (named) => {
    const world = await open();
    expect((await update(world, named)).status).toBe(412);
    expect(updates(world)).toBe(0);
  });

  it("a weak tag never matches, and * names whatever there is", async () => {
    const world = await open();
    expect((await update(world, `W/${await tableTag(world)}`)).status).toBe(412);
    expect((await update(world, "*")).status).toBe(200);
  });

  it("the table of another projection has another tag", async () => {
    const world = await open();
    const { etag = "" } = (await world.http({ path: "/risk/table?projection=Account/Symbol" })).headers;
    expect((await update(world, etag)).status).toBe(412);
  });

  it("what forbids the update comes first: input, permission", async () => {
    const world = await open();
    const headers = { ...JSON_TYPE, "If-Match": '"other"' };
    expect((await world.http({ ...UPDATE, body: "{}", headers })).status).toBe(400);
    const authorization = world.authentication.credentials("viewer");
    expect((await world.http({ ...UPDATE, headers, authorization })).status).toBe(403);
  });

  it.each([
    ["internal", 500],
    ["unavailable", 503],
    ["overloaded", 429],
    ["rejected", 400],
  ] as const)("a table that the engine does not show (%s) is not proof: %i, nothing sent", async (refusal, status) => {
    const world = await open();
    const tag = await tableTag(world);
    world.gate.replyWith(() => ({ ok: false, refusal, message: "not now" }));
    const reply = await update(world, tag);
    expect([reply.status, reply.headers["x-admin-outcome"]]).toEqual([status, "not-applied"]);
    expect(updates(world)).toBe(0);
  });

  it("a table of which a row cannot be shown decides nothing: 500, not applied", async () => {
    const world = await open();
    const rows = [{ conditions: { Source: "*" }, limits: { MaxOrderSize: 7 } }];
    world.gate.replyWith(() => ({ ok: true, result: { projection: "Source", rows } }));
    const reply = await update(world, await tableTag(world));
    expect([reply.status, reply.headers["x-admin-outcome"]]).toEqual([500, "not-applied"]);
    expect(JSON.parse(reply.body).message).toBe(
      "The state that If-Match names could not be read completely; nothing was sent",
    );
    expect(updates(world)).toBe(0);
  });

  it("an engine that does not show the table in time: 503, not applied, and never unknown", async () => {
    const world = await open();
    const tag = await tableTag(world);
    const seen = world.received("getRiskTable").length;
    world.gate.hold();
    const reply = update(world, tag);
    await world.until(() => world.received("getRiskTable").length > seen, { stepMs: 0 });
    world.clock.advance(10_000);
    expect((await reply).headers["x-admin-outcome"]).toBe("not-applied");
    expect((await reply).status).toBe(503);
    world.gate.release();
    await world.allAnswered();
    expect(updates(world)).toBe(0);
  });

  it("of two that name the table at the same time, one is sent", async () => {
    const world = await open();
    const tag = await tableTag(world);
    const seen = world.received("getRiskTable").length;
    world.gate.hold();
    const replies = [update(world, tag), update(world, tag)];
    await world.until(() => world.received("getRiskTable").length === seen + 2, { stepMs: 0 });
    world.gate.release();
    const statuses = (await Promise.all(replies)).map(({ status, headers }) => [status, headers["x-admin-outcome"]]);
    expect(statuses.sort()).toEqual([
      [200, "applied"],
      [412, "not-applied"],
    ]);
    expect(updates(world)).toBe(1);
  });

  it.each(["sent while the table is read", "in progress"])(
    "an update without a condition that is %s has changed it",
    async (when) => {
      const world = await open();
      const unconditional = (): Promise<RawReply> => world.http({ ...UPDATE, headers: JSON_TYPE });
      // The second time it changes nothing: the tag stays the same.
      await unconditional();
      const tag = await tableTag(world);
      const [seen, sent] = [world.received("getRiskTable").length, updates(world)];
      const isRead = (): boolean => world.received("getRiskTable").length > seen;
      const isSent = (): boolean => updates(world) > sent;
      world.gate.hold();
      const replies: Promise<RawReply>[] = [];
      const steps = [
        { send: () => update(world, tag), until: isRead },
        { send: unconditional, until: isSent },
      ];
      for (const { send, until } of when === "in progress" ? steps.reverse() : steps) {
        replies.push(send());
        await world.until(until, { stepMs: 0 });
      }
      world.gate.release();
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 412]);
      expect(updates(world)).toBe(sent + 1);
      expect((await update(world, await tableTag(world))).status).toBe(200);
    },
  );

  it("a stop that arrives while the table is read goes first, and the update is refused", async () => {
    const world = await open();
    const tag = await tableTag(world);
    const seen = world.received("getRiskTable").length;
    world.gate.hold();
    const reply = update(world, tag);
    await world.until(() => world.received("getRiskTable").length > seen, { stepMs: 0 });
    const halt = world.http({ method: "POST", path: "/trading/halt", body: "{}", headers: JSON_TYPE });
    await world.until(() => world.received("haltTrading").length >= 1, { stepMs: 0 });
    world.gate.release();
    expect((await halt).status).toBe(200);
    expect(await reply).toMatchObject({ status: 429, headers: { "x-admin-outcome": "not-applied" } });
    expect(updates(world)).toBe(0);
  });
});

describe("D-HTTP 39: what cannot be conditional is not sent on a condition, unless it stops", () => {
  it("If-Match is 400 for other changes, and stops take no notice of it", async () => {
    const world = await open();
    for (const { name, method, path, body = {} } of COMMANDS) {
      if (name === "updateRiskTable") continue;
      const headers = { ...JSON_TYPE, "If-Match": '"a"' };
      const reply = await world.http({ method, path, body: JSON.stringify(body), headers });
      const isStop = /^(?:halt|disable|disconnect)/.test(name);
      expect([name, reply.status]).toEqual([name, isStop ? 200 : 400]);
      if (isStop) continue;
      expect(JSON.parse(reply.body).message).toBe(`If-Match: ${name} cannot be conditional; nothing was sent`);
      expect(world.received(name)).toEqual([]);
    }
  });
});
