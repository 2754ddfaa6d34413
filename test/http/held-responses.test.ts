import { expect, it } from "vitest";
import type { Authenticator } from "../../src/auth/authenticator.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import type { HttpRequest, HttpResponse } from "../../src/http/message.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";

/** A table of 20 MB: a user may hold 32 MB of answers that are not taken yet. */
function largeTable(): object {
  const row = { conditions: { Account: "A".repeat(64 * 1024) }, limits: { MaxOrderSize: "1" } };
  return { projection: "Account", rows: Array.from({ length: 320 }, () => row) };
}

const HEADERS: Readonly<Record<string, string>> = { "content-type": "application/json", "content-length": "2" };

/** Sends requests whose answers nobody takes. */
function sender(
  { api }: TestRig,
  authenticate: Authenticator["authenticate"] = () => ({
    kind: "principal",
    principal: principal("chief", PERMISSIONS),
  }),
): (method: string, target: string, body?: object) => Promise<HttpResponse> {
  const handle = httpHandler(api, { authenticator: { authenticate } });
  return async (method, path, body = {}) => {
    const request: HttpRequest = {
      method,
      target: `/api/admin/v1${path}`,
      address: "127.0.0.1",
      header: (name) => HEADERS[name],
      onClose: () => {},
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

it("D-LOAD 13: the response to a stop is there at once, that to a read at the end of the turn", async () => {
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
