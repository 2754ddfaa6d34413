import { expect, it } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { AdminHttpOptions } from "../../src/http/admin-http-options.ts";
import { httpHandler } from "../../src/http/handler.ts";
import type { HttpRequest, HttpResponse } from "../../src/http/message.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

/** A table of 20 MB: a user may hold 32 MB of answers that are not taken yet. */
function largeTable(): object {
  const row = { conditions: { Account: "A".repeat(64 * 1024) }, limits: { MaxOrderSize: "1" } };
  return { projection: "Account", rows: Array.from({ length: 320 }, () => row) };
}

const HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json", "content-length": "2" };

const asChief: Authenticator["authenticate"] = () => ({
  kind: "principal",
  principal: principal("chief", PERMISSIONS),
});

/** Sends requests whose answers nobody takes, unless `onClose` says so. */
function sender(
  { api }: TestRig,
  authenticate = asChief,
  { onClose = () => {}, ...options }: Partial<AdminHttpOptions> & Pick<HttpRequest, "onClose"> = {},
): (method: string, target: string, body?: object) => Promise<HttpResponse> {
  const handle = httpHandler(api, { authenticator: { authenticate }, ...options });
  return async (method, path, body = {}) => {
    const request: HttpRequest = {
      method,
      target: path.startsWith("/documents") ? path : `/api/admin/v1${path}`,
      address: "127.0.0.1",
      header: (name) => HEADERS[name],
      onClose,
      readBody: async () => ({ kind: "bytes", bytes: Buffer.from(JSON.stringify(body)) }),
    };
    const answer = await handle(request);
    if (!answer) throw new Error("the path is not the API's");
    return answer;
  };
}

it("D-ENG 16: a command that was carried out is answered so, however many answers its user has not taken", async () => {
  const rig = await startTestRig();
  const send = sender(rig);
  const result = largeTable();
  rig.gate.replyWith(() => ({ ok: true, result }));
  expect((await send("GET", "/risk/table?projection=Account")).status).toBe(200);
  const refused = await send("GET", "/risk/table?projection=Account");
  expect([refused.status, String(refused.body)]).toEqual([429, expect.stringContaining("Too many large responses")]);
  const commands = [{ type: "UPDATE", conditions: { Account: "A" }, limits: { MaxOrderSize: "1" } }];
  const { status, headers } = await send("POST", "/risk/update", { projection: "Account", commands });
  expect([status, headers["X-Admin-Outcome"]]).toEqual([200, "applied"]);
  await rig.close();
});

it("D-ENG 2: large documents that are not taken are counted, too", async () => {
  const rig = await startTestRig();
  const taken: (() => void)[] = [];
  const content = "x".repeat(10 * 1024 * 1024);
  const documents = [{ path: "/documents/large", contentType: "text/plain", content }];
  const send = sender(rig, asChief, { documents, onClose: (listener) => void taken.push(listener) });
  const statuses = async (method: string, count: number): Promise<number[]> => {
    const found = Array.from({ length: count }, () => send(method, "/documents/large"));
    return (await Promise.all(found)).map(({ status }) => status);
  };
  expect(await statuses("GET", 4)).toEqual([200, 200, 200, 429]);
  expect(await statuses("HEAD", 4)).toEqual([200, 200, 200, 200]);
  taken.shift()?.();
  expect(await statuses("GET", 2)).toEqual([200, 429]);
  await rig.close();
});

it("D-ENG 16: whatever two users do not take, a third is sent a page of 200 KiB", async () => {
  const rig = await startTestRig();
  let user = "";
  const authenticate: Authenticator["authenticate"] = () => ({
    kind: "principal",
    principal: principal(user, PERMISSIONS),
  });
  const documents = [200, 1_024, 16_340].map((kib) => {
    return { path: `/documents/${kib}`, contentType: "text/plain", content: "x".repeat(kib * 1024) };
  });
  const send = sender(rig, authenticate, { documents });
  for (user of ["reader-1", "reader-1", "reader-2", "reader-2"]) await send("GET", "/documents/16340");
  user = "operator";
  const statuses: number[] = [];
  for (const kib of [1_024, 200, 200]) statuses.push((await send("GET", `/documents/${kib}`)).status);
  expect(statuses).toEqual([429, 200, 429]);
  await rig.close();
});

it("D-LOAD 13: a large response waits for no others, since it takes the rest of the turn", async () => {
  const rig = await startTestRig();
  const documents = ["x", "x".repeat(64 * 1024)].map((content, index) => {
    return { path: `/documents/${index}`, contentType: "text/plain", content };
  });
  const send = sender(rig, asChief, { documents });
  const order: string[] = [];
  await Promise.all(["/documents/0", "/documents/1"].map((path) => send("GET", path).then(() => order.push(path))));
  expect(order).toEqual(["/documents/1", "/documents/0"]);
  await rig.close();
});

it("D-LOAD 13: the response to a stop is there immediately, that to a read at the end of the turn", async () => {
  const rig = await startTestRig();
  const send = sender(rig, () => ({ kind: "challenge", challenge: 'Basic realm="test"' }));
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  const read = send("GET", "/trading/status").then(note("read"));
  const stop = send("POST", "/trading/halt").then(note("stop"));
  await Promise.all([read, stop]);
  expect(order).toEqual(["stop", "read"]);
  await rig.close();
});
