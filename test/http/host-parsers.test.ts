import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
} from "node:http";
import { type ClientHttp2Session, connect, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import express5 from "express";
import express4 from "express4";
import { describe, expect, it, onTestFinished } from "vitest";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import type { UnknownFields } from "../../src/core/validation/input-size.ts";
import { CallerAddresses } from "../../src/http/client-address.ts";
import { adminMiddleware, keepRawBody } from "../../src/http/express.ts";
import { adminHandler } from "../../src/http/node.ts";
import { NodeRequest } from "../../src/http/node-messages.ts";
import { startTestRig, type TestRig } from "../../src/testing/rig.ts";
import { JSON_TYPE } from "./rule.ts";

const GOLD = '{"projectionPath":"Account[GOLD]"}';

const authenticator = {
  authenticate: () => ({ kind: "principal", principal: principal("ann", PERMISSIONS) }) as const,
};

async function startedRig(unknownFields?: UnknownFields): Promise<TestRig> {
  const rig = await startTestRig(unknownFields && { unknownFields });
  onTestFinished(() => rig.close());
  return rig;
}

/** Sends a request to a listener, and returns the status and the body of its response. */
async function sent(
  listener: RequestListener,
  path: string,
  body: string,
  method = "POST",
  more: OutgoingHttpHeaders = JSON_TYPE,
): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const headers = { ...more, "Content-Length": Buffer.byteLength(body) };
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, method, path, headers, agent: false });
    request.once("error", reject);
    request.once("response", async (response) => resolve(`${response.statusCode} ${await text(response)}`));
    request.end(body);
  });
}

async function http2Session(listener: Parameters<typeof createHttp2Server>[1]): Promise<ClientHttp2Session> {
  const server = createHttp2Server({}, listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    session.destroy();
    server.close();
  });
  return session;
}

async function http2Status(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body = ""): Promise<unknown> {
  const stream = session.request(headers);
  stream.end(body);
  const [status] = await Promise.all([
    new Promise((resolve) => stream.once("response", (head) => resolve(head[":status"]))),
    text(stream),
  ]);
  return status;
}

type Express = typeof express5;

const EXPRESSES = [
  ["Express 5", express5],
  ["Express 4", express4 as unknown as Express],
] as const;

describe("D-HTTP 41: a body that does not come as the API would read it is never taken for none", () => {
  it("over HTTP/2, where a body needs no header", async () => {
    const rig = await startedRig();
    const listener = adminHandler(rig.api, { authenticator }) as unknown as Parameters<typeof createHttp2Server>[1];
    const session = await http2Session(listener);
    for (const body of [GOLD, ""]) {
      const headers = { ":method": "POST", ":path": `${BASE_PATH}/trading/halt`, "content-type": "application/json" };
      expect(await http2Status(session, headers, body)).toBe(200);
    }
    expect(rig.received("haltTrading").map(({ input: { projectionPath } }) => projectionPath)).toEqual([
      "Account[GOLD]",
      "",
    ]);
  });

  describe.each(EXPRESSES)("%s", (_, express) => {
    it.each<[what: string, parser: (app: ReturnType<Express>) => void, status: number]>([
      ["bytes of a raw parser", (app) => app.use(express.raw({ type: "*/*" })), 200],
      ["a text", (app) => app.use(express.text({ type: "*/*" })), 500],
      ["a form", (app) => app.use(express.urlencoded({ extended: true, type: "*/*" })), 500],
      [
        "a body that a parser of another type left and something else has read",
        (app) => {
          app.use(express.json({ type: "application/vnd.x+json" }));
          app.use((request, _response, next) => void request.resume().once("end", next));
        },
        500,
      ],
    ])("from %s", async (_what, parser, status) => {
      for (const unknownFields of ["reject", "ignore"] as const) {
        const rig = await startedRig(unknownFields);
        const app = express();
        parser(app);
        app.use(...adminMiddleware(rig.api, { authenticator }));
        const reply = await sent(app as RequestListener, `${BASE_PATH}/trading/resume`, GOLD);
        expect([unknownFields, reply]).toEqual([unknownFields, expect.stringMatching(`^${status} `)]);
        const paths = rig.received("resumeTrading").map(({ input: { projectionPath } }) => projectionPath);
        expect(paths).toEqual(status === 200 ? ["Account[GOLD]"] : []);
      }
    });

    it("and an empty object is one", async () => {
      const rig = await startedRig();
      const app = express();
      app.use(express.json());
      app.use(...adminMiddleware(rig.api, { authenticator }));
      expect(await sent(app as RequestListener, `${BASE_PATH}/trading/halt`, "{}")).toBe("200 ");
    });
  });
});

describe("D-HTTP 42: what a parser of the host has refused is not carried out, as guards of the host have not seen it", () => {
  it.each(EXPRESSES)("%s", async (_, express) => {
    const rig = await startedRig();
    const app = express();
    const documents = [{ path: "/page", contentType: "text/plain", content: "a page" }];
    const guard: RequestListener = (_request, response) => void response.writeHead(403).end("not from here");
    app.use(express.json({ verify: keepRawBody }));
    app.use("/", guard as never, ...adminMiddleware(rig.api, { authenticator, documents }));
    for (const body of ["{", "null", "  "]) {
      for (const [method, path] of [
        ["GET", "/trading/status"],
        ["POST", "/positions"],
        ["POST", "/trading/resume"],
        ["POST", "/trading/halt"],
        ["POST", "/services/TWAP/disable"],
      ] as const) {
        const reply = await sent(app as RequestListener, `${BASE_PATH}${path}`, body, method);
        expect([body, method, path, reply]).toEqual([body, method, path, expect.stringMatching(/^400 .*JSON/)]);
      }
      expect(await sent(app as RequestListener, "/page", body, "GET")).toMatch(/^400 .*JSON/);
    }
    expect(await sent(app as RequestListener, `${BASE_PATH}/trading/status`, "{}", "GET")).toBe("403 not from here");
    expect(rig.received()).toEqual([]);
  });
});

describe("D-HTTP 43: headers that the host has taken away did not come", () => {
  const user = { kind: "principal", principal: principal("ann", PERMISSIONS) } as const;
  const credentials = {
    authenticate: (authorization?: string) =>
      authorization ? user : ({ kind: "challenge", challenge: "Basic" } as const),
  };
  const TAKEN: Readonly<Record<string, (headers: IncomingHttpHeaders) => void>> = {
    deleted: (headers) => delete headers.authorization,
    undefined: (headers) => Object.assign(headers, { authorization: undefined }),
    null: (headers) => Object.assign(headers, { authorization: null }),
    emptied: (headers) => Object.assign(headers, { authorization: "" }),
  };
  const takeFromOutside = ({ headers }: IncomingMessage): void => TAKEN[`${headers["x-outside"] ?? ""}`]?.(headers);

  type Hosted = (rig: TestRig, change: (request: IncomingMessage) => void) => RequestListener;

  const inExpress =
    (express: Express): Hosted =>
    (rig, change) => {
      const app = express();
      app.use((request, _response, next) => {
        change(request);
        next();
      });
      app.use(...adminMiddleware(rig.api, { authenticator: credentials }));
      return app as RequestListener;
    };

  const inNode: Hosted = (rig, change) => {
    const listener = adminHandler(rig.api, { authenticator: credentials });
    return (request, response) => {
      change(request);
      listener(request, response);
    };
  };

  const HOSTS: readonly [name: string, hosted: Hosted][] = [
    ...EXPRESSES.map(([name, express]): [string, Hosted] => [name, inExpress(express)]),
    ["node:http", inNode],
  ];

  it.each(HOSTS)("%s: without its credentials a command is not sent", async (_, hosted) => {
    const rig = await startedRig();
    const server = createServer(hosted(rig, takeFromOutside)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}/trading/halt`;
    const haltWith = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(url, { method: "POST", headers: { Authorization: "Basic YTpi", ...headers } })).status;
    for (const way of Object.keys(TAKEN)) expect([way, await haltWith({ "X-Outside": way })]).toEqual([way, 401]);
    expect(rig.received("haltTrading")).toEqual([]);
    expect(await haltWith({})).toBe(200);
  });

  it("over HTTP/2, too", async () => {
    const rig = await startedRig();
    const listener = inNode(rig, takeFromOutside) as unknown as Parameters<typeof createHttp2Server>[1];
    const session = await http2Session(listener);
    const halt = { ":method": "POST", ":path": `${BASE_PATH}/trading/halt`, authorization: "Basic YTpi" };
    for (const way of Object.keys(TAKEN))
      expect([way, await http2Status(session, { ...halt, "x-outside": way })]).toEqual([way, 401]);
    expect(rig.received("haltTrading")).toEqual([]);
    expect(await http2Status(session, halt)).toBe(200);
  });

  const TWICE = {
    traceparent: ["", "t"],
    "x-admin-page-key": ["", "k"],
    "x-request-id": ["", "r"],
    authorization: ["", "Basic YTpi"],
    "content-type": ["", "application/json"],
  };

  it.each(HOSTS)(
    "%s: an emptied one did not come though it was sent twice, the first time empty",
    async (_, hosted) => {
      const rig = await startedRig();
      const listener = hosted(rig, ({ headers }) =>
        Object.assign(headers, { traceparent: "", "x-admin-page-key": "" }),
      );
      const read = new Map<string, string | undefined>();
      const reading: RequestListener = (request, response) => {
        listener(request, response);
        const seen = new NodeRequest(request, response, "/", new CallerAddresses());
        for (const name of Object.keys(TWICE)) read.set(name, seen.header(name));
      };
      await sent(reading, `${BASE_PATH}/trading/halt`, GOLD, "POST", TWICE as unknown as OutgoingHttpHeaders);
      expect(Object.fromEntries(read)).toEqual({
        traceparent: "",
        "x-admin-page-key": "",
        "x-request-id": ", r",
        // Of these Node keeps the first value alone: the host has taken nothing away.
        authorization: ", Basic YTpi",
        "content-type": ", application/json",
      });
    },
  );

  it.each(HOSTS)("%s: but a body is there without the headers that announced it", async (_, hosted) => {
    const rig = await startedRig();
    const listener = hosted(rig, ({ headers }) => {
      delete headers["content-length"];
      delete headers["transfer-encoding"];
    });
    const path = `${BASE_PATH}/trading/resume`;
    const authorized = { ...JSON_TYPE, Authorization: "Basic YTpi" };
    expect(await sent(listener, path, GOLD, "POST", authorized)).toMatch(/^200 /);
    const paths = rig.received("resumeTrading").map(({ input: { projectionPath } }) => projectionPath);
    expect(paths).toEqual(["Account[GOLD]"]);
    const conditional = { ...authorized, "If-Match": "" };
    expect(await sent(listener, path, GOLD, "POST", conditional)).toMatch(/^400 .*If-Match/);
  });
});
