import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { CHIEF } from "./folder.ts";
import { ProxyWorld, text } from "./proxy/world.ts";

const API = "/api/admin/v1";
const PAGES = "console.example";

let world: ProxyWorld;

beforeAll(async () => {
  world = await ProxyWorld.start(`gateway.console.enabled: true\ngateway.pages.host: ${PAGES}`);
});
afterEach(() => world.backend.reset());
afterAll(() => world.close());

function ask(host: string, path: string, authorization: string | null = CHIEF): Promise<RawReply> {
  return sendRaw(world.url, { path, authorization, headers: { Host: host }, foreign: true });
}

describe("D-GATE 21: with gateway.pages.host", () => {
  it.each([PAGES, `${PAGES}:8988`, "CONSOLE.Example", `${PAGES}:`])(
    "pages, API and nothing of the monitor are at %s",
    async (host) => {
      for (const path of ["/console", "/swagger-ui.html", "/console/console.js", `${API}/services`]) {
        expect((await ask(host, path)).status, path).toBe(200);
      }
      for (const path of ["/ui", "/sw.js", "/api/x", "/console/x", "//evil"]) {
        expect((await ask(host, path)).status, path).toBe(404);
      }
      expect(world.backend.seen).toEqual([]);
    },
  );

  it("a WebSocket to the monitor is not there either", async () => {
    let upgrades = 0;
    world.backend.server.on("upgrade", (_, socket) => {
      upgrades += 1;
      socket.end(text("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"));
    });
    const asks = (host: string): string =>
      text("GET /ws HTTP/1.1", `Host: ${host}`, "Connection: Upgrade", "Upgrade: websocket");
    expect(await world.exchange(asks(PAGES), /^HTTP\/1.1 \d+/)).toMatch(/^HTTP\/1.1 404/);
    expect(await world.exchange(asks("admin.example"), /^HTTP\/1.1 \d+/)).toMatch(/^HTTP\/1.1 101/);
    expect(upgrades).toBe(1);
  });

  it("D-HTTP 13: the host of an absolute target counts, whatever Host says", async () => {
    const asked = (target: string, host: string): Promise<string> =>
      world.exchange(text(`GET ${target} HTTP/1.1`, `Host: ${host}`), /\r\n\r\n.*/s);
    expect(await asked(`http://${PAGES}/ui`, "admin.example")).toMatch(/^HTTP\/1.1 404/);
    expect(world.backend.seen).toEqual([]);
    expect(await asked("http://admin.example/ui", PAGES)).toMatch(/^HTTP\/1.1 200/);
    expect(world.backend.seen.map(({ headers }) => headers.host)).toEqual(["admin.example"]);
  });

  it("its first page is the console", async () => {
    expect(await ask(PAGES, "/", null)).toMatchObject({ status: 302, headers: { location: `//${PAGES}/console` } });
    expect((await ask(`${PAGES}:81`, "/")).headers.location).toBe(`//${PAGES}:81/console`);
  });

  it.each(["admin.example", "127.0.0.1:8988", `not.${PAGES}`, `${PAGES}.evil`])(
    "at %s its paths lead there, without credentials and with their query, and the API and the monitor stay",
    async (host) => {
      const port = /:\d+$/.exec(host)?.[0] ?? "";
      for (const path of ["/console?positions=x", "/swagger-ui.html", "/console/console.js"]) {
        const { status, headers } = await ask(host, path, null);
        expect([status, headers.location], path).toEqual([302, `//${PAGES}${port}${path}`]);
        expect(headers).not.toHaveProperty("www-authenticate");
      }
      expect((await ask(host, `${API}/services`)).status).toBe(200);
      expect((await ask(host, "/ui")).body).toBe("monitor");
      expect((await ask(host, "/")).body).toBe("monitor");
    },
  );

  it("a page has the key of its user there, and commands of browsers need it", async () => {
    const navigation = { Host: PAGES, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };
    const { body } = await sendRaw(world.url, {
      path: "/console",
      authorization: CHIEF,
      headers: navigation,
      foreign: true,
    });
    const key = /<meta name="trading-admin-page-key" content="([^"]+)">/.exec(body)?.[1] ?? "";
    const command = { method: "POST", path: `${API}/trading/halt`, authorization: CHIEF };
    const headers = { Host: PAGES, Origin: `https://${PAGES}`, "Sec-Fetch-Site": "same-origin" };
    expect((await sendRaw(world.url, { ...command, headers })).status).toBe(403);
    expect((await sendRaw(world.url, { ...command, headers: { ...headers, "X-Admin-Page-Key": key } })).status).toBe(
      200,
    );
  });
});
