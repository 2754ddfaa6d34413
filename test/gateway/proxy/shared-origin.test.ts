import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { CHIEF } from "../folder.ts";
import { ProxyWorld, text } from "./world.ts";

const HOST = "Host: monitor.example";

/** Headers with which a response acts on more than itself. */
const ACTING = [
  "Accept-CH: Sec-CH-UA-Model",
  'Alt-Svc: h3="evil:443"',
  'Clear-Site-Data: "*"',
  "Cross-Origin-Opener-Policy: same-origin",
  'Expect-CT: max-age=9, report-uri="https://evil"',
  'NEL: {"report_to":"x","max_age":9}',
  'Public-Key-Pins: pin-sha256="x"; max-age=9',
  'Report-To: {"max_age":9,"endpoints":[{"url":"https://evil"}]}',
  'Reporting-Endpoints: x="https://monitor.example/collect"',
  'Sec-Session-Registration: (ES256);path="/s"',
  'Secure-Session-Challenge: "x"',
  'Secure-Session-Registration: (ES256);path="/s"',
  "SERVICE-WORKER-ALLOWED: /",
  "Strict-Transport-Security: max-age=0",
];

/** Headers in which the API speaks. */
const OF_THE_API = ["X-Admin-Outcome: applied", "X-Request-Id: forged", "x-admin-origin: https://evil"];

/** Cookies that would come with requests for our paths, in spellings of browsers and of nobody. */
const COOKIES_OF_OURS = [
  "a=1; Path=/console",
  "a=1; path=/CONSOLE/",
  "a=1; Secure;PATH = /api/admin/v1/trading",
  "a=1; Path=/; Path=/swagger-ui.html",
  "a=1; Path=/%63onsole",
];

/** What a monitor may well send. */
const KEPT = [
  "Content-Security-Policy: default-src 'self'",
  "X-Frame-Options: DENY",
  "X-Own: 1",
  "Set-Cookie: session=1; Path=/ui; HttpOnly",
  "Set-Cookie: own=1",
  "Set-Cookie: b=1; Path=/console; Path=/",
];

const BROWSER = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"];

function answerWith(world: ProxyWorld, headers: readonly string[], trailers: readonly string[] = []): void {
  world.backend.answer = (_, response) => {
    response.writeHead(200, headers.flatMap(pair));
    if (trailers.length > 0) response.addTrailers(trailers.map(pair));
    response.end("monitor");
  };
}

function pair(line: string): [string, string] {
  const at = line.indexOf(": ");
  return [line.slice(0, at), line.slice(at + 2)];
}

/** All that a caller gets for a request, until the end of its last chunk. */
function got(world: ProxyWorld): Promise<string> {
  return world.exchange(text("GET /ui HTTP/1.1", HOST, "TE: trailers"), /\r\n0\r\n(?:[^\r\n]+\r\n)*\r\n$|monitor$/);
}

describe("D-GATE 20: while the monitor has the origin of our pages", () => {
  let world: ProxyWorld;
  beforeAll(async () => {
    world = await ProxyWorld.start("gateway.console.enabled: true");
  });
  afterEach(() => world.backend.reset());
  afterAll(() => world.close());

  it("headers of its responses that act on the origin, and cookies for our paths, are dropped; others are not", async () => {
    answerWith(world, [...ACTING, ...OF_THE_API, ...COOKIES_OF_OURS.map((cookie) => `Set-Cookie: ${cookie}`), ...KEPT]);
    const received = await got(world);
    for (const line of [...ACTING, ...OF_THE_API, ...COOKIES_OF_OURS]) expect(received).not.toContain(line);
    for (const line of KEPT) expect(received).toContain(`\r\n${line}\r\n`);
  });

  it("in trailers, too", async () => {
    const cookie = `Set-Cookie: ${COOKIES_OF_OURS[0]}`;
    answerWith(world, ["Transfer-Encoding: chunked"], [...ACTING, ...OF_THE_API, cookie, "X-Sum: 7"]);
    const received = await got(world);
    expect(received).toContain("\r\n0\r\nX-Sum: 7\r\n\r\n");
  });

  it("in errors and in responses that switch protocols, too", async () => {
    world.backend.answer = (_, response) => {
      response.writeHead(404, [...ACTING, ...OF_THE_API].flatMap(pair));
      response.end("monitor");
    };
    expect(await got(world)).not.toMatch(/Worker-Allowed|X-Admin|X-Request-Id|Clear-Site/i);
    world.backend.server.once("upgrade", (_, socket) => {
      const lines = ["Upgrade: websocket", "Connection: Upgrade", ...ACTING, ...OF_THE_API, "X-Own: 1"];
      socket.end(`${text("HTTP/1.1 101 Switching Protocols", ...lines)}monitor`);
    });
    const asks = ["Connection: Upgrade", "Upgrade: websocket"];
    const received = await world.exchange(text("GET /ws HTTP/1.1", HOST, ...asks), /monitor$/);
    expect(received).toContain("\r\nX-Own: 1\r\n");
    expect(received).not.toMatch(/Worker-Allowed|X-Admin|X-Request-Id|Clear-Site/i);
  });

  it.each([
    "/sw.js",
    "/sw.js?x=/deep/down/",
    "/api/sw.js",
    "/API/sw.js",
    "/api/admin/sw.js",
    "http://monitor/sw.js",
    "/",
    "/assets/js/sw.js",
  ])("the script of a service worker at %s is refused with 403", async (target) => {
    const request = text(`GET ${target} HTTP/1.1`, HOST, "Service-Worker: script", ...BROWSER);
    expect(await world.exchange(request, /gateway\n$/)).toMatch(/^HTTP\/1.1 403 /);
    expect(world.backend.seen).toEqual([]);
  });

  it("it gets no password that a browser adds, also for a WebSocket; a program's, and a token, it gets", async () => {
    const authorization = `Authorization: ${CHIEF}`;
    await world.exchange(text("GET /a HTTP/1.1", HOST, authorization, ...BROWSER), /monitor$/);
    await world.exchange(text("GET /b HTTP/1.1", HOST, `Authorization: ${CHIEF.replace("B", "b")}`, ...BROWSER), /r$/);
    await world.exchange(text("GET /c HTTP/1.1", HOST, authorization, "Origin: http://monitor.example"), /monitor$/);
    await world.exchange(text("GET /d HTTP/1.1", HOST, authorization), /monitor$/);
    await world.exchange(text("GET /e HTTP/1.1", HOST, "Authorization: Bearer x", ...BROWSER), /monitor$/);
    const seen = world.backend.seen.map(({ url, headers }) => [url, headers.authorization]);
    expect(seen).toEqual([
      ["/a", undefined],
      ["/b", undefined],
      ["/c", undefined],
      ["/d", CHIEF],
      ["/e", "Bearer x"],
    ]);
    const upgraded = new Promise((resolve) => {
      world.backend.server.once("upgrade", ({ headers }, socket) => {
        socket.destroy();
        resolve(headers.authorization);
      });
    });
    const asks = ["Connection: Upgrade", "Upgrade: websocket", "Origin: http://monitor.example"];
    (await world.connect()).write(text("GET /ws HTTP/1.1", HOST, authorization, ...asks));
    expect(await upgraded).toBe(undefined);
  });

  it.each(["application/reports+json", "Application/Reports+JSON; charset=utf-8", "application/csp-report"])(
    "a report (%s) is a browser's, though it does not say so",
    async (type) => {
      const head = text(
        "POST /collect HTTP/1.1",
        HOST,
        `Authorization: ${CHIEF}`,
        `Content-Type: ${type}`,
        "Content-Length: 2",
      );
      await world.exchange(`${head}[]`, /monitor$/);
      const reports = world.backend.seen.filter(({ url }) => url === "/collect");
      expect(reports.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    },
  );

  it("a start says so", () => {
    const warnings = world.folder.log().filter(({ level }) => level === "WARN" || level === "warn");
    expect(warnings.map(({ message, msg }) => message ?? msg)).toContainEqual(
      expect.stringMatching(
        /^gateway\.pages\.host: is not set, so the console and the interactive page have the origin/,
      ),
    );
  });
});

describe("D-GATE 20: where our pages have another origin, the monitor's responses and requests stay as they are", () => {
  it("but for headers in which the API speaks, also in trailers; and no start warns", async () => {
    const world = await ProxyWorld.start("gateway.pages.host: console.example");
    answerWith(world, [...ACTING, ...OF_THE_API, ...KEPT, "Transfer-Encoding: chunked"], [...OF_THE_API, "X-Sum: 7"]);
    const received = await got(world);
    for (const line of [...ACTING, ...KEPT]) expect(received).toContain(`\r\n${line}\r\n`);
    for (const line of OF_THE_API) expect(received).not.toContain(line);
    expect(received).toContain("\r\n0\r\nX-Sum: 7\r\n\r\n");
    expect(world.folder.logText()).not.toContain("gateway.pages.host");
    await world.close();
  });
});
