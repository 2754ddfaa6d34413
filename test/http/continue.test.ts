import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adminHandler, deferContinue } from "../../src/http/node.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";

let rig: TestRig;
let server: Server;
let authentication: Awaited<ReturnType<typeof openSuiteAuthentication>>;

beforeAll(async () => {
  rig = await startTestRig();
  authentication = await openSuiteAuthentication();
  // A host with routes of its own that reads their bodies.
  const listener = adminHandler(rig.api, {
    authenticator: authentication.authenticator,
    next: (request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => response.end(`host read ${body}`));
    },
  });
  server = createServer(listener).on("checkContinue", deferContinue(listener));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  authentication.close();
  await rig.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Reply {
  readonly status: number | undefined;
  readonly text: string;
  /** Whether the body was asked for. */
  readonly asked: boolean;
}

/** Sends a request whose body waits for `100 Continue`. */
function sendExpecting(path: string, body: string, user: string | null): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const authorization = user === null ? {} : { Authorization: credentials(user) };
    const headers = { Expect: "100-continue", "Content-Type": "application/json", ...authorization };
    const sending = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false });
    let asked = false;
    sending.on("continue", () => {
      asked = true;
      sending.end(body);
    });
    sending.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        sending.destroy();
        resolve({ status: response.statusCode, text, asked });
      });
    });
    sending.on("error", reject);
    sending.flushHeaders();
  });
}

describe("deferContinue in a host's own server (RFC 9110 section 10.1.1)", () => {
  it("asks for the body of a command that will be read", async () => {
    const reply = await sendExpecting("/api/admin/v1/trading/halt", '{"reason":"drill"}', "chief");
    expect(reply).toEqual({ status: 200, text: "", asked: true });
  });

  it.each([
    [401, null],
    [403, "viewer"],
  ])("does not ask for the body of a command that is refused with %i", async (status, user) => {
    expect(await sendExpecting("/api/admin/v1/trading/halt", "{}", user)).toMatchObject({ status, asked: false });
  });

  it("asks for the body of the host's own routes", async () => {
    const reply = await sendExpecting("/orders", "an order", null);
    expect(reply).toEqual({ status: 200, text: "host read an order", asked: true });
  });
});
