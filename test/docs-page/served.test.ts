import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { principal } from "../../src/core/principal.ts";
import { docsPage } from "../../src/openapi/page/docs-page.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { sendRaw } from "../support/raw-http.ts";

const PAGES = ["/swagger-ui.html", "/swagger-ui/index.html"];

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

let folder: InstallationFolder;
let url: string;

beforeEach(async () => {
  folder = new InstallationFolder();
  ({ url } = await folder.start(""));
});

afterEach(() => folder.close());

describe("the interactive page is served by the gateway itself", () => {
  it("with everything that it is made of, to the same credentials as the API", async () => {
    const paths = docsPage().map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(PAGES));
    for (const path of paths) {
      const without = await sendRaw(url, { path, authorization: null });
      expect(without, path).toMatchObject({ status: 401, body: "" });
      expect(without.headers["www-authenticate"]).toMatch(/^Basic realm=/);
      expect((await sendRaw(url, { path, authorization: CHIEF })).status, path).toBe(path.endsWith("/") ? 302 : 200);
    }
  });

  it("D-PAGE 1: /swagger-ui/ leads to it", async () => {
    const { headers } = await sendRaw(url, { path: "/swagger-ui/", authorization: CHIEF });
    expect(new URL(String(headers.location), `${url}/swagger-ui/`).pathname).toBe("/swagger-ui/index.html");
  });

  it("has the name of the installation in header and title, as text", () => {
    const [page] = docsPage({ name: "LONDON <PROD>" });
    const content = page?.content;
    const html = typeof content === "function" ? content(principal("alice", []), undefined) : content;
    expect(html).toContain("<title>LONDON &lt;PROD> · Trading administration</title>");
    expect(html).toContain('<strong><span class="installation">LONDON &lt;PROD></span> API</strong>');
  });

  it.each(PAGES)("at %s: nothing is of another server, nothing inline, and a strict policy says so", async (path) => {
    const { headers, body } = await sendRaw(url, { path, authorization: CHIEF });
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    expect(body).not.toMatch(/\/\/|<style|style=|<script(?![^>]* src=)|\son\w+=/);
    const parts = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = ""]) => new URL(part, url + path));
    expect(parts.length).toBeGreaterThan(4);
    for (const { origin, pathname } of parts) {
      expect(origin).toBe(url);
      expect((await sendRaw(url, { path: pathname, authorization: CHIEF })).status, pathname).toBe(200);
    }
  });

  it("once: a browser asks whether its copy of a part is still good, and does not load it again", async () => {
    const asked = { path: "/swagger-ui/swagger-ui-bundle.js", authorization: CHIEF };
    const { headers, body } = await sendRaw(url, asked);
    expect(headers).toMatchObject({
      "cache-control": "private, no-cache",
      "content-length": `${Buffer.byteLength(body)}`,
    });
    const again = await sendRaw(url, { ...asked, headers: { "If-None-Match": headers.etag ?? "" } });
    expect(again).toMatchObject({ status: 304, body: "", headers: { "cache-control": "private, no-cache" } });
  });

  it("D-HTTP 9, D-HTTP 24: unless the API is closed or switched off", async () => {
    const closed = await folder.start("security.oauth2.authenticationType: NONE");
    const off = await folder.start("admin.api.enabled: false");
    for (const path of PAGES) {
      expect(await sendRaw(closed.url, { path, authorization: CHIEF })).toMatchObject({ status: 403 });
      expect(await sendRaw(off.url, { path, authorization: CHIEF })).toMatchObject({ status: 404 });
    }
  });
});
