import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { CLIENT, IdentityProvider } from "../auth/token/identity-provider.ts";
import { requireCommand, type Serving } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { InstallationFolder } from "../gateway/folder.ts";
import { useChromium } from "../support/chromium.ts";
import { answerOf, execute, tryOut } from "./visit.ts";

const AUDIENCE = "urn:rs256:trading-admin";

const visit = useChromium();
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

describe("with bearer tokens trading-admin docs opens the page", () => {
  it("which a browser uses without ever having the token", async () => {
    const origin = new URL(docs.url).origin;
    const { page, problems } = await visit(origin);
    const authorizations: unknown[] = [];
    page.on("request", (request) => authorizations.push(request.headers().authorization));
    await page.goto(docs.url);
    await page.locator(".opblock").first().waitFor();
    expect(page.url()).toBe(`${origin}/swagger-ui.html`);
    await tryOut(page, "listServices");
    await execute(page, "listServices");
    await expect.poll(() => answerOf(page, "listServices")).toMatch(/^200.*SIM/);
    const snippet = await page.locator(".opblock[id$=-listServices] .curl").first().textContent();
    // The commands are for the gateway itself.
    expect(snippet).toContain(`${gateway.url}/api/admin/v1/services`);
    expect(snippet).toContain("$TRADING_ADMIN_TOKEN");
    expect([...new Set(authorizations)]).toEqual([undefined]);
    expect(problems).toEqual([]);
  });

  it("and trading-admin console opens the console in the same way", async () => {
    const console = await workplace.console("--url", gateway.url, ...token());
    const origin = new URL(console.url).origin;
    const { page, problems } = await visit(origin);
    await page.goto(console.url);
    await page.getByText("Trading is running").first().waitFor();
    expect(page.url()).toBe(`${origin}/console`);
    // The token has no permission.
    await page.getByText("you lack the permission HALT_RESUME_TRADING").first().waitFor();
    await page.waitForLoadState("networkidle");
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.locator(".opblock").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("D-PAGE 18: a reload and a second tab continue, while another port of the address and another browser get nothing", async () => {
    const { origin, hostname } = new URL(docs.url);
    const { page } = await visit(origin);
    await page.goto(docs.url);
    await page.locator(".opblock").first().waitFor();
    await page.reload();
    await page.locator(".opblock").first().waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${origin}/console`);
    await tab.getByText("Trading is running").first().waitFor();
    const heard: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      heard.push(request.headers);
      response.setHeader("Content-Type", "text/html").end("<title>other</title>");
    });
    await once(other.listen(0, hostname), "listening");
    await tab.goto(`http://${hostname}:${(other.address() as AddressInfo).port}/`);
    expect(await tab.evaluate("[document.cookie, localStorage.length]")).toEqual(["", 0]);
    other.close();
    expect(JSON.stringify(heard)).not.toMatch(/cookie|key/i);
    const stranger = await visit(origin);
    await stranger.page.goto(`${origin}/console`);
    await stranger.page.getByText("Open the address that was printed").first().waitFor();
    await stranger.page.goto(`${origin}/swagger-ui.html`);
    await stranger.page.getByText("Open the address that was printed").first().waitFor();
  });
});
