import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  AdminClientError,
  AppliedError,
  DeniedError,
  NotAppliedError,
  OutcomeUnknownError,
} from "../../src/client/errors.ts";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { call, clientAt, failureOf, MUTATIONS } from "./calls.ts";
import { errorBody, json, ScriptedServer } from "./scripted-server.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const LOGIN_PAGE = "<!doctype html><title>Log in</title>";

function html(status: number): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status, { "Content-Type": "text/html" }).end(LOGIN_PAGE);
}

/** Answers after which nobody knows, each from something other than the API or cut off. */
const NOT_UNDERSTOOD: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  "a proxy's 502": html(502),
  "a proxy's 503, which it may give for a request that it has passed on": html(503),
  "a proxy's 503 in another JSON": (response) => json(response, 503, { fault: "upstream reset", status: 503 }),
  "an error body of another status": (response) => json(response, 503, errorBody(504, "late")),
  "a filter's 403": html(403),
  "a proxy's 404": html(404),
  "a login page with 200": html(200),
  "a status that the API never gives": (response) => json(response, 418, errorBody(418, "teapot")),
  "200 with JSON of another kind": (response) => response.writeHead(200, JSON_TYPE).end('"ok"'),
  "200 with half of its JSON": (response) => response.writeHead(200, JSON_TYPE).end('{"projection":"'),
  "204": (response) => response.writeHead(204).end(),
  "the connection cut before a response": (response) => response.destroy(),
  "the connection cut within a response": (response) => {
    response.writeHead(200, { "Content-Length": "100" }).write("{");
    setTimeout(() => response.destroy(), 20);
  },
};

describe("D-ENG 2, D-ENG 3: a mutation is sent once, and unless a response of the API says otherwise, its outcome is unknown", () => {
  it.each(Object.entries(NOT_UNDERSTOOD))("such as after %s", async (_, script) => {
    const server = await ScriptedServer.start(script);
    const client = clientAt(server.origin);
    for (const [index, mutation] of MUTATIONS.entries()) {
      const error = await failureOf(call(client, mutation));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(server.requests).toHaveLength(index + 1);
      expect(server.requests[index]?.headers["x-request-id"]).toBe(error.requestId);
    }
  });

  it.each([
    ["applied", AppliedError, [200, 500, 504]],
    ["not-applied", NotAppliedError, [400, 500, 503, 504]],
    ["unknown", OutcomeUnknownError, [200, 400, 500, 503, 504]],
  ] as const)("D-ENG 16: X-Admin-Outcome %s counts, and not the status", async (outcome, kind, statuses) => {
    for (const status of statuses) {
      const server = await ScriptedServer.start((response) =>
        json(response, status, { ...errorBody(status, "the disk is full"), rows: 1 }, { "X-Admin-Outcome": outcome }),
      );
      for (const mutation of MUTATIONS.filter(({ empty }) => empty)) {
        const error = await failureOf(call(clientAt(server.origin), mutation));
        expect([status, error.constructor]).toEqual([status, kind]);
        expect(error).toMatchObject({ outcome, status });
      }
    }
  });

  it("D-ENG 16: where X-Admin-Outcome is missing or says something else, the status decides", async () => {
    for (const headers of [{}, { "X-Admin-Outcome": "perhaps" }]) {
      for (const [status, kind] of [
        [503, NotAppliedError],
        [500, OutcomeUnknownError],
      ] as const) {
        const server = await ScriptedServer.start((response) =>
          json(response, status, errorBody(status, "no"), headers as Record<string, string>),
        );
        for (const mutation of MUTATIONS) {
          expect(await failureOf(call(clientAt(server.origin), mutation))).toBeInstanceOf(kind);
        }
      }
    }
  });

  it.each([
    ["not-applied", 200],
    ["unknown", 200],
    ["not-applied", 202],
    ["applied", 400],
    ["applied", 503],
  ])("D-ENG 16: X-Admin-Outcome %s with the status %i contradicts it, so nobody knows", async (outcome, status) => {
    for (const mutation of MUTATIONS) {
      const [{ input, output }] = operationRecord(operations, mutation.name).examples;
      const server = await ScriptedServer.start((response) => {
        response.writeHead(status, { ...JSON_TYPE, "X-Admin-Outcome": outcome });
        response.end(status === 200 ? output && JSON.stringify(output) : JSON.stringify(errorBody(status, "no")));
      });
      const error = await failureOf(call(clientAt(server.origin), { name: mutation.name, input }));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      if (status === 200) expect(error.reason).toMatch(/contradicts itself: status 200 with X-Admin-Outcome/);
    }
  });

  it("and 429 and 503 of the API, with Retry-After, mean not applied, and are not repeated either", async () => {
    for (const status of [429, 503]) {
      const server = await ScriptedServer.start((response) =>
        json(response, status, errorBody(status, "later"), { "Retry-After": "0" }),
      );
      for (const mutation of MUTATIONS) {
        expect(await failureOf(call(clientAt(server.origin), mutation))).toBeInstanceOf(NotAppliedError);
      }
      expect(server.requests).toHaveLength(MUTATIONS.length);
    }
  });

  it("and a redirect is not followed: the command and its credentials go nowhere else", async () => {
    const other = await ScriptedServer.start((response) => response.end());
    for (const status of [301, 302, 307, 308]) {
      const server = await ScriptedServer.start((response) =>
        response.writeHead(status, { Location: `${other.origin}/api/admin/v1/trading/halt` }).end(),
      );
      const error = await failureOf(clientAt(server.origin).haltTrading());
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error).toMatchObject({ status, reason: expect.stringContaining("redirect") });
    }
    expect(other.requests).toEqual([]);
  });

  it("but nobody listening means not applied, because it was certainly not sent", async () => {
    const server = await ScriptedServer.start((response) => response.end());
    await server.stop();
    const error = await failureOf(clientAt(server.origin).haltTrading());
    expect(error).toBeInstanceOf(NotAppliedError);
    expect(error).toMatchObject({ status: undefined, reason: expect.stringContaining("ECONNREFUSED") });
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("but an untrusted certificate means not applied, because nothing is sent before it is checked", async () => {
    const store = (name: string): Buffer => readFileSync(new URL(`../tls/stores/${name}`, import.meta.url));
    const server = createServer({ key: store("rsa.key"), cert: store("rsa.pem") }, (_, response) => response.end());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close().closeAllConnections());
    const { port } = server.address() as AddressInfo;
    const error = await failureOf(clientAt(`https://127.0.0.1:${port}`).haltTrading());
    expect(error).toBeInstanceOf(NotAppliedError);
    expect(error.reason).toMatch(/certificate/);
  });

  const listening = async (server: Server): Promise<number> => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  };

  it("but TLS to a port for plain HTTP, or to one that closes, means not applied, because the handshake comes first", async () => {
    const plain = await ScriptedServer.start((response) => response.end());
    const closing = await listening(createTcpServer((socket) => void socket.once("data", () => socket.destroy())));
    for (const [port, reason] of [
      [new URL(plain.origin).port, /wrong version number/],
      [closing, /before secure TLS connection/],
    ]) {
      const error = await failureOf(clientAt(`https://127.0.0.1:${port}`).haltTrading());
      expect(error).toBeInstanceOf(NotAppliedError);
      expect(error.reason).toMatch(reason as RegExp);
    }
    expect(plain.requests).toEqual([]);
  });

  it("but a port that fetch never connects to, and an address that cannot be reached, mean not applied", async () => {
    for (const [address, reason] of [
      ["127.0.0.1:6000", /bad port/],
      ["255.255.255.255:8988", /connect E/],
    ]) {
      const error = await failureOf(clientAt(`http://${address}`).haltTrading());
      expect(error).toBeInstanceOf(NotAppliedError);
      expect(error.reason).toMatch(reason as RegExp);
    }
  });

  it("and a host with several addresses means not applied only if none of them was reached", async () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
    const lost = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
    const failing = (...errors: Error[]): Promise<AdminClientError> => {
      const cause = Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" });
      const fetch = (): Promise<never> => Promise.reject(new TypeError("fetch failed", { cause }));
      return failureOf(clientAt("http://monitor:8988", { fetch }).haltTrading());
    };
    expect(await failing(refused, refused)).toBeInstanceOf(NotAppliedError);
    expect(await failing(refused, lost)).toBeInstanceOf(OutcomeUnknownError);
  });

  it("as after plain HTTP to a port for TLS, or to one that closes, because something was sent", async () => {
    const store = (name: string): Buffer => readFileSync(new URL(`../tls/stores/${name}`, import.meta.url));
    const secure = await listening(createServer({ key: store("rsa.key"), cert: store("rsa.pem") }));
    const closing = await listening(createTcpServer((socket) => void socket.once("data", () => socket.destroy())));
    for (const port of [secure, closing]) {
      expect(await failureOf(clientAt(`http://127.0.0.1:${port}`).haltTrading())).toBeInstanceOf(OutcomeUnknownError);
    }
  });

  it("but a 401 means denied, since whoever sends it has forwarded nothing", async () => {
    const server = await ScriptedServer.start(html(401));
    expect(await failureOf(clientAt(server.origin).haltTrading())).toBeInstanceOf(DeniedError);
  });
});

describe("a caller who does not wait", () => {
  it("aborts before sending: nothing was sent", async () => {
    const server = await ScriptedServer.start((response) => response.end());
    const reason = new Error("the shift is over");
    const error = await failureOf(clientAt(server.origin).haltTrading({}, { signal: AbortSignal.abort(reason) }));
    expect(error).toBeInstanceOf(NotAppliedError);
    expect(error).toMatchObject({ cause: reason, reason: "the shift is over" });
    expect(server.requests).toEqual([]);
  });

  it("D-ENG 4: aborts after sending: the outcome is unknown", async () => {
    const controller = new AbortController();
    const server = await ScriptedServer.start(() => controller.abort());
    const error = await failureOf(clientAt(server.origin).haltTrading({}, { signal: controller.signal }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toBe(controller.signal.reason);
  });

  it("may set a time limit: no response leaves the outcome unknown, and a read is not repeated after it", async () => {
    const server = await ScriptedServer.start(() => {});
    let sent = 0;
    const counted: typeof fetch = (...request) => {
      sent += 1;
      return fetch(...request);
    };
    const client = clientAt(server.origin, { timeoutMs: 100, fetch: counted });
    const halt = await failureOf(client.haltTrading());
    expect(halt).toBeInstanceOf(OutcomeUnknownError);
    expect(halt).toMatchObject({ status: undefined, reason: "no response within 100 ms" });
    expect(await failureOf(client.listServices())).toMatchObject({ reason: "no response within 100 ms" });
    expect(sent).toBe(2);
  });

  it("is not held up by a `fetch` that ignores signals", async () => {
    const client = clientAt("http://127.0.0.1", { timeoutMs: 50, fetch: () => new Promise(() => {}) });
    expect(await failureOf(client.haltTrading())).toBeInstanceOf(OutcomeUnknownError);
  });
});

it("gets an AdminClientError that keeps its cause for every rejection, also for what cannot be sent", async () => {
  const server = await ScriptedServer.start((response) => response.end());
  const client = clientAt(server.origin);
  for (const name of ["", ".", ".."]) {
    const error = await failureOf(client.disableService({ name }));
    expect(error).toBeInstanceOf(NotAppliedError);
    expect(error.reason).toBe(`name must not be ${JSON.stringify(name)}: no URL can carry it`);
  }
  const broken = [
    client.disableService({ name: "\ud800" }),
    client.haltTrading({ reason: 1n as unknown as string }),
    client.getService({ name: 7 as unknown as string }),
    client.haltTrading({}, { requestId: "two words" }),
    clientAt(server.origin, {
      credentials: { authorization: () => Promise.reject(new Error("no vault")) },
    }).haltTrading(),
  ];
  for (const calling of broken) {
    const error = await failureOf(calling);
    expect(error).toBeInstanceOf(AdminClientError);
    expect(error.cause).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  }
  expect(server.requests).toEqual([]);
});
