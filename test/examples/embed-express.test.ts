import { request } from "node:http";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { exampleSource, serveExample } from "./example.ts";
import type { ServingProcess } from "./serving-process.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const MALFORMED: RawRequest = { path: "", method: "POST", headers: JSON_TYPE, body: '{"user":' };

/** Opens the monitor's WebSocket; answers all bytes that come over it. */
function liveView(origin: string): Promise<{ accept: string | undefined; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const key = "dGhlIHNhbXBsZSBub25jZQ==";
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Key": key,
      "Sec-WebSocket-Version": "13",
    };
    const opening = request(`${origin}/live`, { agent: false, headers, timeout: 5_000 });
    opening.once("upgrade", (response, socket: Duplex, head: Buffer) => {
      const chunks = [head];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.once("end", () => {
        socket.end();
        resolve({ accept: response.headers["sec-websocket-accept"], bytes: Buffer.concat(chunks) });
      });
    });
    opening.once("response", ({ statusCode }) => reject(new Error(`answered with ${statusCode}, not upgraded`)));
    opening.once("timeout", () => opening.destroy(new Error("no response")));
    opening.once("error", reject);
    opening.end();
  });
}

it("examples/embed-express.ts: the embedding itself is at most 15 lines", () => {
  const [, body = ""] =
    /\nasync function openAdminApi\([^\n]*\n([\s\S]*?)\n}\n/.exec(exampleSource("embed-express")) ?? [];
  const lines = body.split("\n");
  expect(lines.at(-1)).toMatch(/^ {2}return \{ api,/);
  // One more line hands the requests over: createServer(adminHandler(...)) or app.use(...adminMiddleware(...)).
  expect(lines.length + 1).toBeLessThanOrEqual(15);
});

describe.each([
  ["in front of the app", []],
  ["mounted in the app", ["--mounted"]],
])("examples/embed-express.ts, %s", (_, form) => {
  let files: Awaited<ReturnType<typeof openSuiteAuthentication>>;
  let example: ServingProcess;

  beforeAll(async () => {
    files = await openSuiteAuthentication();
    example = await serveExample("embed-express", { args: [files.directory, ...form] });
  });

  afterAll(async () => {
    await example?.close();
    files?.close();
  });

  function admin(raw: RawRequest, user = "chief"): Promise<RawReply> {
    return sendRaw(`${example.url}/api/admin/v1`, { authorization: credentials(user), ...raw });
  }

  function host(raw: RawRequest): Promise<RawReply> {
    return sendRaw(example.url, raw);
  }

  async function login(): Promise<string> {
    const reply = await host({ path: "/login", method: "POST", headers: JSON_TYPE, body: '{"user":"mia"}' });
    expect(reply).toMatchObject({ status: 200, body: '{"user":"mia"}' });
    return reply.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  }

  /** Audit records in the monitor's log. */
  function records(): unknown[] {
    const lines = example
      .output()
      .split("\n")
      .filter((line) => line.includes('"record":'));
    return lines.map((line) => JSON.parse(line).record);
  }

  it('specification, "Authentication" 1: 401 without credentials, whatever session the monitor knows', async () => {
    const cookie = await login();
    const { status, body, headers } = await admin({ path: "/services", authorization: null, headers: { cookie } });
    expect({ status, body }).toEqual({ status: 401, body: "" });
    expect(headers["www-authenticate"]).toMatch(/^Basic realm=/);
    expect(headers["set-cookie"]).toBeUndefined();
  });

  it("users of the access files read the state of the embedded engine", async () => {
    const { status, body } = await admin({ path: "/trading/status" }, "viewer");
    expect({ status, body: JSON.parse(body) }).toEqual({
      status: 200,
      body: { projectionPath: "", halted: false, reason: null },
    });
    expect(JSON.parse((await admin({ path: "/services" }, "viewer")).body)).toContainEqual(
      expect.objectContaining({ name: "NASDAQ1", type: "Connector" }),
    );
  });

  it("convention 8: a halt takes effect, and the monitor's log holds it with the user's name", async () => {
    const halt = { path: "/trading/halt", method: "POST", headers: JSON_TYPE, body: '{"reason":"drill"}' };
    const denied = await admin(halt, "viewer");
    expect(denied.status).toBe(403);
    expect(JSON.parse(denied.body).message).toContain("HALT_RESUME_TRADING");
    expect(await admin(halt)).toMatchObject({ status: 200, body: "" });
    const status = async (): Promise<unknown> => JSON.parse((await admin({ path: "/trading/status" })).body);
    await expect.poll(status).toEqual({ projectionPath: "", halted: true, reason: "drill" });
    const record = { operation: "haltTrading", address: "127.0.0.1", reason: "drill" };
    await expect.poll(() => records().length).toBe(3);
    expect(records()).toMatchObject([
      { operation: "haltTrading", user: "viewer", stage: "denied" },
      { ...record, user: "chief", stage: "intent" },
      { ...record, user: "chief", stage: "applied" },
    ]);
  });

  it("the monitor's own routes and sessions are untouched", async () => {
    const cookie = await login();
    const reply = await host({ path: "/whoami", headers: { cookie } });
    expect(reply).toMatchObject({ status: 200, body: '{"user":"mia"}' });
    expect(reply.headers["x-request-id"]).toBeUndefined();
    expect(await host({ path: "/whoami" })).toMatchObject({ status: 200, body: '{"user":null}' });
    const unknown = await host({ path: "/api/admin/v2/services" });
    expect(unknown.status).toBe(404);
    expect(unknown.body).toContain("Cannot GET /api/admin/v2/services");
  });

  it("malformed JSON is answered by whoever was asked: the monitor or the API", async () => {
    const toHost = await host({ ...MALFORMED, path: "/login" });
    expect({ status: toHost.status, body: Object.keys(JSON.parse(toHost.body)) }).toEqual({
      status: 400,
      body: ["monitorError"],
    });
    const toApi = await admin({ ...MALFORMED, path: "/trading/resume" });
    expect({ status: toApi.status, body: JSON.parse(toApi.body) }).toEqual({
      status: 400,
      body: { status: 400, error: "Bad Request", message: "The request body is not valid JSON" },
    });
  });

  it("the monitor's WebSocket is untouched", async () => {
    const { accept, bytes } = await liveView(example.url);
    expect(accept).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    expect(bytes.toString("latin1")).toBe("\x81\x05hello\x88\x00");
  });

  it("SIGTERM closes monitor and API in good order", async () => {
    expect(await example.terminate()).toBe(0);
    expect(example.output()).toMatch(/\{"level":"info","message":"stopped"\}\n$/);
    expect(example.output()).not.toContain('"level":"error"');
    await expect(host({ path: "/whoami" })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
});
