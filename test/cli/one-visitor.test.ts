import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { CLIENT, IdentityProvider } from "../auth/token/identity-provider.ts";
import { InstallationFolder } from "../gateway/folder.ts";
import { requireCommand, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const AUDIENCE = "urn:rs256:trading-admin";

let folder: InstallationFolder;
let workplace: Workplace;
let gateway: Gateway;
let docs: Serving;
let provider: IdentityProvider;

beforeAll(requireCommand);

beforeEach(async () => {
  provider = await IdentityProvider.start();
  folder = new InstallationFolder();
  gateway = await folder.start(`security.oauth2.authenticationType: PROVIDER
spring.security.oauth2.resourceserver.jwt: { issuer-uri: "${provider.issuer}", audiences: ["${AUDIENCE}"] }`);
  workplace = new Workplace();
  workplace.write("secret", `${CLIENT.secret}\n`);
  docs = await workplace.docs("--url", gateway.url, ...token());
});

afterEach(async () => {
  await workplace.close();
  await folder.close();
});

/** Options with which a command gets its token. */
function token(): string[] {
  const client = ["--client-id", CLIENT.id, "--client-secret-file", "secret"];
  return ["--token-url", `${provider.issuer}/token`, ...client, "--resource", AUDIENCE];
}

/** A visitor that is not a browser: what it sends, headers included, is up to the test. */
function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Reply> {
  const { hostname, port } = new URL(docs.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: hostname, port, path, method, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

/** Opens the address that works once, and has the header that its pages send from then on. */
async function letIn(): Promise<Readonly<Record<string, string>>> {
  const { status, body, headers } = await ask(new URL(docs.url).pathname);
  expect([status, headers["cache-control"], headers["set-cookie"]]).toEqual([200, "no-store", undefined]);
  const [, key = ""] = /setItem\("trading-admin-page-key", "([^"]+)"\)/.exec(body) ?? [];
  return { "X-Admin-Page-Key": key };
}

describe("trading-admin docs and console let in one browser", () => {
  it.skipIf(process.platform === "darwin")("D-PAGE 19: at an address of this machine that is drawn at random", () => {
    const { hostname } = new URL(docs.url);
    expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(hostname).not.toMatch(/^127\.0\.0\./);
  });

  it("D-PAGE 18: at an address that works once and leaves a key in the browser, without which nothing is asked of the gateway", async () => {
    const { pathname } = new URL(docs.url);
    const refused = { status: 403, body: expect.stringContaining("Open the address that was printed") };
    const asked = [
      "/api/admin/v1/services",
      "/v3/api-docs",
      "/swagger-ui/user.json",
      "/console/user.json",
      "/actuator",
    ];
    for (const path of asked) expect(await ask(path), path).toMatchObject(refused);
    expect(await ask("/swagger-ui.html", {}, "POST")).toMatchObject(refused);
    expect(await ask(`${pathname}x`)).toMatchObject({ status: 403 });
    const key = await letIn();
    expect(Object.values(key)).toEqual([expect.stringMatching(/^[\w-]{32}$/)]);
    expect(await ask(pathname)).toMatchObject({
      status: 410,
      body: expect.stringMatching(/^this address has been opened already/),
    });
    expect(await ask("/api/admin/v1/services", key)).toMatchObject({ status: 200 });
    const [[name = "", value = ""] = []] = Object.entries(key);
    for (const other of ["", "x", `${value}x`, value.slice(1)]) {
      expect(await ask("/api/admin/v1/services", { [name]: other }), other).toMatchObject(refused);
    }
    // A cookie would be sent to every port of the address.
    expect(await ask("/api/admin/v1/services", { Cookie: `${name}=${value}` })).toMatchObject(refused);
  });

  it("D-PAGE 18: what a browser loads by itself has neither key nor cookie, and is the same for everybody", async () => {
    for (const path of ["/swagger-ui.html", "/swagger-ui/page.js", "/console", "/console/console.css"]) {
      const { status, body, headers } = await ask(path);
      expect(status, path).toBe(200);
      expect(body, path).not.toMatch(/<meta name="trading-admin-page-key"/);
      expect(headers, path).not.toHaveProperty("set-cookie");
    }
    for (const path of ["/console/logged-out", "/swagger-ui/logged-out"]) {
      expect((await ask(path)).headers, path).not.toHaveProperty("clear-site-data");
    }
  });

  it("and refuses other origins, and other names of this machine", async () => {
    const { port, origin } = new URL(docs.url);
    const key = await letIn();
    const halt = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
      ask("/api/admin/v1/trading/halt", { ...key, ...headers }, "POST");
    expect(await halt({ Origin: "https://evil" })).toMatchObject({ status: 403 });
    expect(await halt({ "Sec-Fetch-Site": "same-site" })).toMatchObject({ status: 403 });
    expect(await halt({ Host: `localhost:${port}` })).toMatchObject({ status: 421 });
    expect(await halt({ Host: "evil" })).toMatchObject({ status: 421 });
    // The token has no permission, and says so: the gateway was asked.
    expect((await halt({ Origin: origin, "Sec-Fetch-Site": "same-origin" })).body).toContain("lacks the permission");
  });

  it("with nothing but the pages, what they load and the API behind it", async () => {
    const key = await letIn();
    const tricks = [
      "/",
      "/actuator/health",
      "/api/admin/v1",
      "/swagger-ui",
      "/swagger-ui/../actuator",
      "/v3/api-docs.json",
      "/console.json",
    ];
    const encoded = [
      "/api/admin/v1/%2e%2e/x",
      "/api/admin/v1//x",
      "//evil/swagger-ui.html",
      "http://evil/swagger-ui.html",
    ];
    for (const path of [...tricks, ...encoded]) {
      expect(await ask(path, key), path).toMatchObject({ status: 404 });
    }
    for (const path of [
      "/v3/api-docs",
      "/v3/api-docs.yaml",
      "/swagger-ui/page.js",
      "/console",
      "/console/console.js",
      "/api/admin/v1/services/SIM",
    ]) {
      expect(await ask(path, key), path).toMatchObject({ status: 200 });
    }
  });

  it("and says when a gateway is unavailable, and what happened to a command", async () => {
    const key = await letIn();
    await gateway.close();
    const reply = await ask("/api/admin/v1/trading/halt", key, "POST");
    expect(reply.status).toBe(502);
    expect(reply.body).toMatch(
      /^No response came from http:\/\/127\.0\.0\.1:\d+ \(connect ECONNREFUSED .*\); nothing was sent\n$/,
    );
  });
});
