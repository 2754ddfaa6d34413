import { scryptSync } from "node:crypto";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { PERMISSIONS, principal } from "../../src/core/principal.ts";
import { httpHandler } from "../../src/http/handler.ts";
import type { HttpRequest } from "../../src/http/message.ts";
import { adminHandler } from "../../src/http/node.ts";
import { htmlPage } from "../../src/http/page-files.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { expectError, post, rule } from "./rule.ts";

const MESSAGE = "A page of another site may not send commands with a user's credentials";

/** What a browser says of a request, for each case whether a command is taken. */
const CASES: readonly [headers: Readonly<Record<string, string>>, taken: boolean][] = [
  [{}, true],
  [{ "Sec-Fetch-Site": "same-origin", Origin: "http://elsewhere" }, true],
  [{ "Sec-Fetch-Site": "none" }, true],
  [{ "Sec-Fetch-Site": "same-site" }, false],
  [{ "Sec-Fetch-Site": "cross-site" }, false],
  [{ Host: "monitor:8988", Origin: "http://monitor:8988" }, true],
  [{ Host: "monitor:8988", Origin: "https://monitor:8988" }, true],
  [{ Host: "monitor:8988", Origin: "http://monitor" }, false],
  [{ Host: "monitor:8988", Origin: "http://evil" }, false],
  [{ Host: "monitor:8988", Origin: "null" }, false],
];

describe("D-HTTP 27: commands of a browser for a page of another site are refused", () => {
  rule("a halt without a body, which needs no preflight", async ({ http, gate, audit }) => {
    for (const [headers, taken] of CASES) {
      const before = gate.seen.length;
      const reply = await http({ method: "POST", path: "/trading/halt", headers });
      if (taken) expect(reply.status, JSON.stringify(headers)).toBe(200);
      else expectError(reply, 403, "Forbidden", MESSAGE);
      expect(gate.seen.length - before).toBe(taken ? 1 : 0);
      expect(audit.records.at(-1)).toMatchObject({ user: "chief", stage: taken ? "applied" : "denied" });
    }
  });

  it("with whatever else browsers add by themselves, as a host may take them; a token only a page adds", async () => {
    const rig = await startTestRig();
    onTestFinished(() => rig.close());
    const ann = { kind: "principal", principal: principal("ann", PERMISSIONS) } as const;
    const handle = httpHandler(rig.api, { authenticator: { authenticate: () => ann } });
    const statusOf = async (authorization: string | undefined, site: string): Promise<number | undefined> => {
      const headers: Record<string, string | undefined> = { authorization, "sec-fetch-site": site };
      const request = { method: "POST", target: `${BASE_PATH}/trading/halt`, address: undefined, isBodyDeclared: true };
      const readBody = (): Promise<never> => Promise.reject(new Error("there is no body"));
      return (await handle({ ...request, header: (name) => headers[name], readBody }))?.status;
    };
    for (const authorization of ["Negotiate YIIZ", "Digest username=ann", "Basic YTpi", undefined]) {
      expect([authorization, await statusOf(authorization, "cross-site")]).toEqual([authorization, 403]);
      expect([authorization, await statusOf(authorization, "same-origin")]).toEqual([authorization, 200]);
    }
    expect(await statusOf("Bearer x", "cross-site")).toBe(200);
  });

  it("over HTTP/2, where the host may be in `:authority` alone; a page without an origin is another site's", async () => {
    const rig = await startTestRig();
    onTestFinished(() => rig.close());
    const ann = { kind: "principal", principal: principal("ann", PERMISSIONS) } as const;
    const listener = adminHandler(rig.api, { authenticator: { authenticate: () => ann } });
    const server = createServer({}, listener as unknown as Parameters<typeof createServer>[1]).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const session = connect(`http://127.0.0.1:${port}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const statusOf = (origin: string): Promise<number | undefined> => {
      const stream = session.request({ ":method": "POST", ":path": `${BASE_PATH}/trading/halt`, origin });
      stream.end();
      return new Promise((resolve) => stream.once("response", (head) => resolve(head[":status"])));
    };
    expect(await statusOf("null")).toBe(403);
    expect(await statusOf("http://elsewhere")).toBe(403);
    expect(await statusOf(`http://127.0.0.1:${port}`)).toBe(200);
    expect(rig.received("haltTrading")).toHaveLength(1);
  });

  rule("reads are answered: the browser shows them to nobody", async ({ http }) => {
    const headers = { "Sec-Fetch-Site": "cross-site" };
    expect((await http({ path: "/services", headers })).status).toBe(200);
    expect(
      (
        await http(
          post("/positions", '{"projection":"Account/Symbol"}', { "Content-Type": "application/json", ...headers }),
        )
      ).status,
    ).toBe(200);
  });
});

describe("D-HTTP 30: a page has a key whatever a host takes for credentials", () => {
  const PAGE = "/console";
  const NAVIGATION = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const OF_SCRIPT = { "sec-fetch-site": "same-origin" };

  type Headers = Readonly<Record<string, string>>;

  function requestOf(method: string, target: string, headers: Headers): HttpRequest {
    const readBody = (): Promise<never> => Promise.reject(new Error("there is no body"));
    return { method, target, address: undefined, isBodyDeclared: true, header: (name) => headers[name], readBody };
  }

  it.each([
    ["a certificate, of which no header says anything", {}],
    ["Kerberos, whose header is another one each time", { authorization: "Negotiate YIIZ" }],
  ])("%s: no script finds the key out, and that of another user is none", async (_, credentials: Headers) => {
    const rig = await startTestRig();
    onTestFinished(() => rig.close());
    let name = "ann";
    const authenticate = () => ({ kind: "principal", principal: principal(name, PERMISSIONS) }) as const;
    const documents = [htmlPage(PAGE, (head) => head)];
    const handle = httpHandler(rig.api, { authenticator: { authenticate }, documents, onlyOwnPages: true });
    const keyOf = async (user: string): Promise<string> => {
      name = user;
      const reply = await handle(requestOf("GET", PAGE, { ...credentials, ...NAVIGATION }));
      return /content="([^"]+)"/.exec(String(reply?.body))?.[1] ?? "none";
    };
    const haltWith = async (user: string, key: string, others: Headers = credentials): Promise<number | undefined> => {
      name = user;
      const headers = { ...others, ...OF_SCRIPT, "x-admin-page-key": key };
      return (await handle(requestOf("POST", `${BASE_PATH}/trading/halt`, headers)))?.status;
    };
    const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
    const guess = scryptSync(credentials.authorization ?? "", "key of a page", 32, cost).toString("base64url");
    expect(await haltWith("ann", guess)).toBe(403);
    expect(await haltWith("ann", await keyOf("bob"))).toBe(403);
    // Nor does a password of the script's own make the key one that it knows.
    const own = { authorization: `Basic ${Buffer.from("ann:mine").toString("base64")}` };
    expect(await haltWith("ann", scryptSync("ann:mine", "key of a page", 32, cost).toString("base64url"), own)).toBe(
      403,
    );
    const key = await keyOf("ann");
    expect(await haltWith("ann", key)).toBe(200);
    if (credentials.authorization) expect(await haltWith("ann", key, { authorization: "Negotiate YIIa" })).toBe(200);
    expect(rig.received("haltTrading").length).toBe(credentials.authorization ? 2 : 1);
  });
});
