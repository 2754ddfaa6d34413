import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AdminWarning, createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { extensionNames } from "../../src/core/operations/extensions.ts";
import { ENDPOINTS } from "../requirements/support/endpoints.ts";
import { cases } from "../support/extent.ts";
import { call, clientAt, clientOf, failureOf, withWorld } from "./calls.ts";
import { json, ScriptedServer } from "./scripted-server.ts";

const NAMES = [
  "BTC/USD",
  "a b",
  "a+b",
  "100%",
  "%2F",
  "a?b#c",
  "a&b=c;d",
  "..x",
  "...",
  "ö密🔑",
  "a\\b",
  "\n",
  ":@!$'()*,",
];

describe("every operation of the table is a method", () => {
  it("returns what the API returns; null for an empty 200", () =>
    withWorld(async (world, client) => {
      expect(Object.keys(client)).toEqual([...ENDPOINTS.map(({ name }) => name), ...extensionNames]);
      for (const { name, input, empty } of ENDPOINTS) {
        const output = await call(client, { name, input });
        expect(output === null).toBe(empty);
        const raw = name.startsWith("get") || name.startsWith("list") ? await world.call(name, input) : undefined;
        if (raw) expect(output).toEqual(raw.json);
      }
    }));

  it("and works on its own, taken from the client", () =>
    withWorld(async (_, { getService }) => {
      expect(await getService({ name: "TWAP" })).toMatchObject({ name: "TWAP" });
    }));
});

describe("D-HTTP 12: names may hold anything", () => {
  it.each(NAMES)("such as %j, which reaches the engine unchanged, in a path and in a query", (name) =>
    withWorld(async (world, client) => {
      world.gate.replyWith(() => ({ ok: false, refusal: "not-found", message: "unknown" }));
      await failureOf(client.disableService({ name, reason: name }));
      expect(world.gate.seen.at(-1)?.input).toEqual({ name, reason: name });
      await failureOf(client.getFixSession({ gateway: name, session: name }));
      expect(world.gate.seen.at(-1)?.input).toEqual({ gateway: name, session: name });
      await failureOf(client.getTradingStatus({ projectionPath: `Symbol[${name}]` }));
      expect(world.gate.seen.at(-1)?.input).toEqual({ projectionPath: `Symbol[${name}]` });
    }),
  );

  it("property: any text but the empty one and dot segments", () =>
    withWorld(async (world, client) => {
      world.gate.replyWith(() => ({ ok: false, refusal: "not-found", message: "unknown" }));
      const text = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter((name) => !/^\.\.?$/.test(name));
      await fc.assert(
        fc.asyncProperty(text, async (name) => {
          await failureOf(client.getService({ name }));
          expect(world.gate.seen.at(-1)?.input).toEqual({ name });
        }),
        { numRuns: cases(200) },
      );
    }));
});

describe("a request", () => {
  it("has no body and no Content-Type where no field is given, never a cookie, and always the id and the credentials", async () => {
    const server = await ScriptedServer.start((response) => response.end());
    const client = clientAt(server.origin);
    await failureOf(client.disconnectFixSession({ gateway: "OE1", session: "C1" }));
    await client.haltTrading();
    await client.haltTrading({ reason: "x" });
    const [disconnect, plain, reasoned] = server.requests;
    expect(disconnect).toMatchObject({ method: "POST", body: "" });
    expect(disconnect?.path).toBe(`${BASE_PATH}/fix/gateways/OE1/sessions/C1/disconnect`);
    for (const request of [disconnect, plain]) expect(request?.headers["content-type"]).toBeUndefined();
    expect(reasoned).toMatchObject({ body: '{"reason":"x"}', headers: { "content-type": "application/json" } });
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({ accept: "application/json", authorization: expect.stringMatching(/^Basic /) });
      expect(headers.cookie).toBeUndefined();
    }
    expect(new Set(server.requests.map(({ headers }) => headers["x-request-id"])).size).toBe(3);
  });

  it("D-HTTP 18: leaves out a field that is null or undefined, in a query too", async () => {
    const server = await ScriptedServer.start((response) => json(response, 200, { projection: "", rows: [] }));
    const client = clientAt(server.origin);
    await client.getRiskTable({ projection: undefined });
    await client.getRiskTable({ projection: null as unknown as string });
    await client.getRiskTable({ projection: "" });
    const root = `${BASE_PATH}/risk/table`;
    expect(server.requests.map(({ path }) => path)).toEqual([root, root, `${root}?projection=`]);
  });

  it("goes to an API that is mounted below a path, and to another address", async () => {
    const server = await ScriptedServer.start((response) => json(response, 200, []));
    const credentials = basic("a", "b");
    for (const baseUrl of [
      server.origin,
      `${server.origin}/`,
      `${server.origin}/monitor`,
      `${server.origin}/monitor//`,
    ]) {
      await createClient({ baseUrl, credentials }).listServices();
    }
    await createClient({ baseUrl: server.origin, basePath: "/ops/trading", credentials }).listServices();
    expect(server.requests.map(({ path }) => path)).toEqual([
      `${BASE_PATH}/services`,
      `${BASE_PATH}/services`,
      `/monitor${BASE_PATH}/services`,
      `/monitor${BASE_PATH}/services`,
      "/ops/trading/services",
    ]);
  });

  it("D-HTTP 21: has the caller's request id where they give one, and an error names the one in the log", async () => {
    const server = await ScriptedServer.start((response, _, count) =>
      json(
        response,
        404,
        { status: 404, error: "Not Found", message: "?" },
        count > 1 ? { "X-Request-Id": "envoy-1" } : {},
      ),
    );
    let count = 0;
    const client = clientAt(server.origin, { requestId: () => `job-${++count}` });
    expect(await failureOf(client.haltTrading())).toMatchObject({ requestId: "job-1" });
    expect(await failureOf(client.haltTrading({}, { requestId: "mine" }))).toMatchObject({ requestId: "mine" });
    expect(await failureOf(client.haltTrading())).toMatchObject({ requestId: "envoy-1" });
    expect(server.requests.map(({ headers }) => headers["x-request-id"])).toEqual(["job-1", "mine", "job-2"]);
  });
});

it("D-ENG 6: reports a warning with what it belongs to", () =>
  withWorld(async (world) => {
    const warnings: AdminWarning[] = [];
    const client = clientOf(world, "chief", { onWarning: (warning) => warnings.push(warning) });
    await client.haltTrading({ projectionPath: "Account[GOLD]", cancelOrders: true }, { requestId: "node-1" });
    await client.haltTrading({ cancelOrders: true });
    await clientOf(world).haltTrading({ projectionPath: "Account[GOLD]", cancelOrders: true });
    expect(warnings).toEqual([
      { operation: "haltTrading", requestId: "node-1", message: expect.stringContaining("cancelOrders was ignored") },
    ]);
  }));
