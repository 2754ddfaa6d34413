import type { IncomingMessage, ServerResponse } from "node:http";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHIEF, PASSWORD } from "../gateway/folder.ts";
import { ProxyWorld } from "../gateway/proxy/world.ts";
import { useChromium, type Visit } from "../support/chromium.ts";
import { sendRaw } from "../support/raw-http.ts";

const API = "/api/admin/v1";

/** What the monitor serves to take over the origin. */
const WORKER = `self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.url.endsWith("/trading/status")) event.respondWith(new Response('{"projectionPath":"","halted":true,"reason":"all is well"}'));
});`;

/** Headers with which it would keep a window that it opens, and give its worker the whole origin. */
const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Service-Worker-Allowed": "/",
  "Set-Cookie": ["own=1; Path=/", `bomb=${"x".repeat(2_000)}; Path=/console`],
  "X-Admin-Outcome": "applied",
};

const visit = useChromium();
let world: ProxyWorld;

function serve(request: IncomingMessage, response: ServerResponse): void {
  world.backend.take(request, () => {
    const isScript = request.url?.endsWith(".js") === true;
    response.writeHead(200, { "Content-Type": isScript ? "text/javascript" : "text/html", ...HEADERS });
    response.end(isScript ? WORKER : "<!doctype html><title>monitor</title>");
  });
}

afterEach(() => world.close());

/** An operator who has opened the console and then opens a page of the monitor in the same browser. */
async function lured(origin: string): Promise<Visit> {
  const visited = await visit(origin, { httpCredentials: { username: "chief", password: PASSWORD } });
  await visited.page.goto(`${origin}/console`);
  await visited.page.getByText("Trading is running").first().waitFor();
  await visited.page.goto(`${world.url}/evil`);
  return visited;
}

/** What the script of a page gets to. */
function attempt(page: Page, script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${script} })()`);
}

async function isHalted(): Promise<boolean> {
  const { body } = await sendRaw(world.url, { path: `${API}/trading/status`, authorization: CHIEF });
  return (JSON.parse(body) as { halted: boolean }).halted;
}

describe("D-GATE 20: beside a hostile monitor of the same origin", () => {
  beforeEach(async () => {
    world = await ProxyWorld.start("gateway.console.enabled: true");
    world.backend.answer = serve;
  });

  it("D-HTTP 30: its pages send no command, though they have read the console's page", async () => {
    const { page } = await lured(world.url);
    const statuses = await attempt(
      page,
      `const text = await (await fetch("/console", { referrer: "/console" })).text();
      const key = new DOMParser().parseFromString(text, "text/html").querySelector("meta[name*=key]");
      const asked = [{}, { "X-Admin-Page-Key": "none" }, { "Sec-Fetch-Mode": "navigate", Origin: "" }];
      const sent = ["halt", "resume"].flatMap((command) =>
        asked.map((headers) => fetch("${API}/trading/" + command, { method: "POST", headers })),
      );
      navigator.sendBeacon("${API}/trading/halt");
      return [key, ...(await Promise.all(sent)).map(({ status }) => status)];`,
    );
    expect(statuses).toEqual([null, 403, 403, 403, 403, 403, 403]);
    await attempt(
      page,
      `const form = Object.assign(document.createElement("form"), { method: "post", action: "${API}/trading/halt" });
      document.body.append(form);
      form.submit();`,
    );
    await page.getByText("Only the console and the interactive page").waitFor();
    expect(await isHalted()).toBe(false);
  });

  it("its pages cannot reach into a console that they open, in a window or in a frame", async () => {
    const { page } = await lured(world.url);
    const opened = page.context().waitForEvent("page");
    await attempt(page, `globalThis.stolen = window.open("/console");`);
    await (await opened).getByText("Trading is running").first().waitFor();
    const [isClosed, texts] = (await attempt(
      page,
      `const frame = document.createElement("iframe");
      frame.src = "/console";
      document.body.append(frame);
      await new Promise((resolve) => { frame.onload = resolve; });
      const textOf = (view) => { try { return view.document.documentElement.innerHTML; } catch { return ""; } };
      return [stolen.closed, textOf(stolen) + textOf(frame.contentWindow)];`,
    )) as [boolean, string];
    expect(isClosed).toBe(true);
    expect(texts).not.toContain("key");
  });

  it("it has no service worker", async () => {
    const { page } = await lured(world.url);
    const results = await attempt(
      page,
      `const register = (script, options) =>
        navigator.serviceWorker.register(script, options).then(({ scope }) => new URL(scope).pathname, () => "refused");
      return [
        await register("/sw.js"),
        await register("/assets/sw.js", { scope: "/" }),
        await register("/api/sw.js"),
        await register("/assets/sw.js"),
      ];`,
    );
    // One below its own folder could give a page an opener policy that does not pass the gateway, and keep a console that it opens.
    expect(results).toEqual(["refused", "refused", "refused", "refused"]);
    expect(await attempt(page, "return (await navigator.serviceWorker.getRegistrations()).length;")).toBe(0);
    await page.goto(`${world.url}/console`);
    await page.getByText("Trading is running").first().waitFor();
  });

  it("it gets neither the user's password nor the cookies of our paths", async () => {
    const { page } = await lured(world.url);
    await attempt(page, `await fetch("/again");`);
    expect(world.backend.seen.length).toBeGreaterThan(1);
    expect(world.backend.seen.map(({ headers }) => headers.authorization).filter(Boolean)).toEqual([]);
    expect((await page.context().cookies(`${world.url}/console`)).map(({ name }) => name)).toEqual(["own"]);
  });

  it("what it leaves in the browser's storage does not keep the console from starting", async () => {
    const { page } = await lured(world.url);
    for (const left of [
      '{"nodes":7,"positions":{},"risk":[]}',
      '{"nodes":{"length":1}}',
      '{"nodes":["\\ud800",null,"%"]}',
      "[",
    ]) {
      await attempt(page, `localStorage.setItem("trading-console", ${JSON.stringify(left)});`);
      await page.goto(`${world.url}/console`);
      await page.getByText("Trading is running").first().waitFor();
      await page.getByRole("button", { name: "Halt all trading" }).waitFor();
      await page.getByText("FIX sessions").first().waitFor();
      await page.goto(`${world.url}/evil`);
    }
  });

  it("the console itself halts and resumes, also after a reload", async () => {
    const { page } = await lured(world.url);
    await page.goto(`${world.url}/console`);
    await page.reload();
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page.keyboard.press("Enter");
    await page.getByText("Read from the engine at").first().waitFor();
    expect(await isHalted()).toBe(true);
  });
});

describe("D-GATE 21: with gateway.pages.host the console has an origin without the monitor", () => {
  let pages: string;

  beforeEach(async () => {
    world = await ProxyWorld.start("gateway.console.enabled: true\ngateway.pages.host: localhost");
    world.backend.answer = serve;
    pages = `http://localhost:${new URL(world.url).port}`;
  });

  it("where it halts, and from where a page of the monitor cannot", async () => {
    const { page } = await lured(pages);
    const statuses = await attempt(
      page,
      `const send = (url) =>
        fetch(url, { method: "POST", credentials: "include", mode: "no-cors" }).then(
          ({ status, type }) => (type === "opaque" ? type : status),
          () => "failed",
        );
      return [await send("${API}/trading/halt"), await send("${pages}${API}/trading/halt")];`,
    );
    expect(statuses).toEqual([403, "opaque"]);
    expect(await isHalted()).toBe(false);
    await page.goto(`${pages}/`);
    expect(page.url()).toBe(`${pages}/console`);
    await page.getByRole("button", { name: "Halt all trading" }).click();
    await page.keyboard.press("Enter");
    await page.getByText("Read from the engine at").first().waitFor();
    expect(await isHalted()).toBe(true);
  });

  it("and under other names its paths lead there", async () => {
    const { page } = await visit(pages, { httpCredentials: { username: "chief", password: PASSWORD } });
    await page.goto(`${world.url}/console?positions=x`);
    expect(page.url()).toBe(`${pages}/console?positions=x`);
    await page.getByText("Trading is running").first().waitFor();
  });
});
