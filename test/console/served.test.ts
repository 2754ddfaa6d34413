import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { consolePage } from "../../src/console/console-page.ts";
import { pageText } from "../../src/console/page-text.ts";
import { basic } from "../auth/access-files.ts";
import { addViewer, CHIEF, InstallationFolder, PASSWORD } from "../gateway/folder.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Bytes of script that a browser loads, compressed. */
const MAX_SCRIPT_BYTES = 100_000;

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

function get(url: string, path: string, authorization: string | null = CHIEF): Promise<RawReply> {
  return sendRaw(url, { path, authorization });
}

describe("the console is served by the gateway itself", () => {
  it("and all that it loads is below /console/, with the same credentials as the API", async () => {
    const { url } = await folder.start("");
    const paths = consolePage().map(({ path }) => path);
    expect(paths.filter((path) => path !== "/console" && !path.startsWith("/console/"))).toEqual([]);
    for (const path of paths) {
      expect(await get(url, path, null), path).toMatchObject({ status: 401, body: "" });
      expect((await get(url, path)).status, path).toBe(path === "/console/" ? 302 : 200);
    }
    const { headers, body } = await get(url, "/console");
    expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY });
    expect(body).not.toMatch(/\/\/|<style|style=|<script(?![^>]* src=)|\son\w+=/);
    const loaded = [...body.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(
      ([, part = ""]) => new URL(part, `${url}/console`),
    );
    const own = loaded.filter(({ pathname }) => pathname !== "/swagger-ui.html");
    expect(own.map(({ pathname }) => pathname).toSorted()).toEqual(["/console/console.css", "/console/console.js"]);
  });

  it("D-PAGE 17: logs out whom its own page leads there, or who types the address, and nobody for a page of another site", async () => {
    const { url } = await folder.start("");
    const from = async (site: string): Promise<unknown> => {
      const headers = { "Sec-Fetch-Site": site };
      const reply = await sendRaw(url, { path: "/console/logged-out", authorization: CHIEF, headers });
      expect(reply.status).toBe(200);
      return reply.headers["clear-site-data"];
    };
    const cleared = '"cookies"';
    expect(await Promise.all(["same-origin", "none", "cross-site", "same-site"].map(from))).toEqual([
      cleared,
      cleared,
      undefined,
      undefined,
    ]);
  });

  it("its script is small", async () => {
    const { url } = await folder.start("");
    const { body } = await get(url, "/console/console.js");
    expect(gzipSync(body).length).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it("D-PAGE 2: it says who the user is and what they may not do", async () => {
    addViewer(folder);
    const { url } = await folder.start("");
    const chief = await get(url, "/console/user.json");
    expect(JSON.parse(chief.body)).toEqual({ name: "chief", denied: {} });
    expect(chief.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
    const viewer = await get(url, "/console/user.json", basic("viewer", PASSWORD));
    expect(JSON.parse(viewer.body)).toEqual({
      name: "viewer",
      denied: {
        haltTrading: "HALT_RESUME_TRADING",
        resumeTrading: "HALT_RESUME_TRADING",
        updateRiskTable: "CHANGE_RISK_LIMITS",
        adjustPosition: "POSITION_ADJUSTMENT",
        disableService: "ENABLE_DISABLE_SERVICE",
        enableService: "ENABLE_DISABLE_SERVICE",
        disableFixSession: "CONTROL_FIX_SESSION",
        enableFixSession: "CONTROL_FIX_SESSION",
        disconnectFixSession: "CONTROL_FIX_SESSION",
      },
    });
    expect(await get(url, "/swagger-ui/user.json")).toMatchObject({ status: 200, body: chief.body });
  });

  it("D-PAGE 1: / leads to the console, and from each page a link leads to the other", async () => {
    const { url } = await folder.start("");
    expect(await get(url, "/", null)).toMatchObject({ status: 401 });
    const home = await get(url, "/");
    expect(home).toMatchObject({ status: 302, headers: { location: "/console" } });
    expect((await get(url, "/swagger-ui.html")).body).toContain('<a href="console">');
    expect((await get(url, "/swagger-ui/index.html")).body).toContain('<a href="../console">');
    expect((await get(url, "/console")).body).toContain('<a href="swagger-ui.html">');
  });
});

describe("what the console only shows", () => {
  const [LIMITS, POSITIONS] = ["swagger-ui.html#/Risk/updateRiskTable", "swagger-ui.html#/Positions/adjustPosition"];

  it.each([true, false])("says where it is changed, with a link to the API page where that is on: %s", (docs) => {
    const text = pageText({ head: "", basePath: "", docs, name: undefined, colour: undefined });
    expect(text).toContain("Change with <code>trading-admin risk set</code>");
    expect(text).toContain("Change with <code>trading-admin positions adjust</code>");
    expect([LIMITS, POSITIONS].map((address) => text.includes(`"${address}"`))).toEqual([docs, docs]);
  });
});

describe("D-PAGE 1: a slash behind the console's path leads to the console", () => {
  it("relative to wherever the API is mounted, and a caller without credentials is asked for them", async () => {
    const { url } = await folder.start("");
    const { status, headers } = await get(url, "/console/");
    expect([status, headers.location]).toEqual([302, "../console"]);
    expect((await get(url, "/console/", null)).status).toBe(401);
  });
});

describe("gateway.console.enabled", () => {
  const MONITOR = "gateway.monitor.url: http://127.0.0.1:9";

  it.each([
    ["true where no monitor stands behind the gateway", "", 200],
    ["false where one does: the path is the monitor's, which is away here", MONITOR, 502],
    ["can be switched on beside a monitor", `${MONITOR}\ngateway.console.enabled: true`, 200],
    ["can be switched off", "gateway.console.enabled: false", 404],
    ["is away with the API", "admin.api.enabled: false", 404],
  ])("%s", async (_, settings, status) => {
    const { url } = await folder.start(settings);
    expect((await get(url, "/console")).status).toBe(status);
  });

  it("without it / leads to the interactive page, which has no link to it", async () => {
    const { url } = await folder.start("gateway.console.enabled: false");
    expect((await get(url, "/")).headers).toMatchObject({ location: "/swagger-ui.html" });
    expect((await get(url, "/swagger-ui.html")).body).not.toContain("console");
  });
});
