import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ROOT } from "../package/build.ts";
import { violations } from "../support/axe.ts";
import { useChromium } from "../support/chromium.ts";
import { outputOf } from "../support/output-of.ts";

const SITE = join(ROOT, "site");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".png": "image/png",
};

/** The public entries. */
const { paths: PATHS } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8")).compilerOptions;

/** Of all that the browser fetches for the start page, uncompressed, as on a first visit. */
const FIRST_PAGE_BYTES = 1_500_000;

const SCREENS = [
  { width: 1440, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const;

/** With a long table, with diagrams, with indented code, with long names. */
const PAGES = ["/", "/architecture.html", "/deploy/index.html", "/engine/index.html", "/reference/operations.html"];

const VIEWS = SCREENS.flatMap((screen) => PAGES.map((path) => ({ path, ...screen })));

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://site");
  const file = decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname);
  try {
    const content = readFileSync(join(SITE, file));
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
});

/** Labels of diagrams that run over the box they are in. */
const LABELS_OUTSIDE = `[...document.querySelectorAll(".diagram g:has(> rect) text")]
  .filter((text) => {
    const label = text.getBoundingClientRect();
    const box = text.closest("g").querySelector("rect").getBoundingClientRect();
    return label.left < box.left || label.right > box.right;
  })
  .map((text) => text.textContent)`;

const BUILD_MS = 1_200_000;

const visit = useChromium();
let url: string;

beforeAll(async () => {
  outputOf("npm", ["run", "docs:site"], { cwd: ROOT, timeout: BUILD_MS, stdio: ["ignore", "pipe", "pipe"] });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, BUILD_MS);

afterAll(() => new Promise((closed) => server.close(closed)));

/** HTML pages of the documents; the reference of the TypeScript entries checks its own links. */
function pages(): string[] {
  return readdirSync(SITE, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".html") && !name.startsWith("api/") && name !== "404.html",
  );
}

function html(page: string): string {
  return readFileSync(join(SITE, page), "utf8");
}

function linksOf(page: string): URL[] {
  const hrefs = [...html(page).matchAll(/<a\b[^>]*\bhref="([^"]+)"/g)].map(([, href = ""]) => href);
  return hrefs
    .map((href) => new URL(href.replaceAll("&amp;", "&"), `http://site/${page}`))
    .filter(({ host }) => host === "site");
}

/** Whether a link leads to a file of the site, and its anchor to an element of it. */
function isDead({ pathname, hash }: URL, files: ReadonlySet<string>): boolean {
  const path = decodeURIComponent(pathname).slice(1);
  const file = [path, `${path}.html`, join(path, "index.html")].find((name) => files.has(name));
  if (file === undefined) return true;
  if (hash === "" || !file.endsWith(".html")) return false;
  return !html(file).includes(` id="${decodeURIComponent(hash.slice(1))}"`);
}

describe("D-DOC 22: the built site", () => {
  it("has no link and no anchor that leads nowhere", () => {
    const files = new Set(readdirSync(SITE, { recursive: true, encoding: "utf8" }));
    expect(pages().length).toBeGreaterThan(40);
    const dead = pages().flatMap((page) =>
      linksOf(page)
        .filter((link) => isDead(link, files))
        .map(({ pathname, hash }) => `${page}: ${pathname}${hash}`),
    );
    expect(dead).toEqual([]);
  });

  it.each(VIEWS)(
    "axe finds nothing and nothing comes from another server: $path, $width wide, $colorScheme",
    async ({ path, width, colorScheme }) => {
      const { page, problems } = await visit(url, { viewport: { width, height: 900 }, colorScheme });
      await page.goto(url + path, { waitUntil: "networkidle" });
      expect(await violations(page)).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it("no page is wider than a phone: what is wide scrolls by itself", async () => {
    const { page } = await visit(url, { viewport: { width: 390, height: 900 } });
    const wide: string[] = [];
    for (const path of pages()) {
      await page.goto(`${url}/${path}`);
      if (Number(await page.evaluate("document.documentElement.scrollWidth")) > 390) wide.push(path);
    }
    expect(wide).toEqual([]);
  });

  it("the start page fetches no more than its budget", async () => {
    const { page } = await visit(url);
    const sizes: Promise<number>[] = [];
    page.on("response", (response) => sizes.push(response.body().then(({ length }) => length)));
    await page.goto(url, { waitUntil: "networkidle" });
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(FIRST_PAGE_BYTES);
  });

  it("search finds a word of a page without another server", async () => {
    const { page, problems } = await visit(url);
    await page.goto(url, { waitUntil: "networkidle" });
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill("fix-port");
    await page.locator(".results a.result").first().waitFor();
    expect(await page.locator(".results").textContent()).toMatch(/fix/i);
    expect(problems).toEqual([]);
  });

  it.each([
    ["halt a node", /halt/i],
    ["how do I resume", /resum/i],
  ])("search for '%s' begins with what it is about: words of grammar find nothing", async (question, about) => {
    const { page } = await visit(url);
    await page.goto(url, { waitUntil: "networkidle" });
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox").fill(question);
    await page.locator(".results a.result").first().waitFor();
    expect(await page.locator(".results a.result").first().textContent()).toMatch(about);
    const marked = await page.locator(".results mark").allTextContents();
    expect(marked.filter((text) => text.length < 3)).toEqual([]);
  });

  it("an option does not break behind its hyphens on a phone", async () => {
    const { page } = await visit(url, { viewport: { width: 390, height: 900 } });
    await page.goto(`${url}/cli.html`);
    const broken = "[...document.querySelectorAll('.vp-doc .option')].filter((one) => one.getClientRects().length > 1)";
    expect(await page.evaluate("document.querySelectorAll('.vp-doc .option').length")).toBeGreaterThan(100);
    expect(await page.evaluate(`${broken}.map((one) => one.textContent)`)).toEqual([]);
  });

  it("the start page begins with a card for each reader, in sight without scrolling on a desk, and each link leads to a page", async () => {
    const { page } = await visit(url, { viewport: { width: 1440, height: 900 } });
    await page.goto(url, { waitUntil: "networkidle" });
    const cards = page.locator(".VPFeature");
    expect(await cards.count()).toBe(6);
    const lowest = await cards.last().boundingBox();
    expect((lowest?.y ?? 900) + (lowest?.height ?? 0)).toBeLessThan(900);
    await cards.first().getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Five-minute start" }).waitFor();
  });

  it("a line of code that is cut off is announced by a shade, and can be scrolled by keyboard", async () => {
    const { page } = await visit(url, { viewport: { width: 390, height: 900 } });
    await page.goto(`${url}/operate/start.html`);
    const cut = `[...document.querySelectorAll(".vp-doc pre")].filter((one) => one.scrollWidth > one.clientWidth)`;
    expect(await page.evaluate(`${cut}.length`)).toBeGreaterThan(0);
    const plain = `(one) => one.tabIndex !== 0 || !getComputedStyle(one).backgroundImage.includes("gradient")`;
    expect(await page.evaluate(`${cut}.filter(${plain}).length`)).toBe(0);
  });

  it("a table or diagram that is wider than a phone is announced by a shade, which no row hides", async () => {
    const { page } = await visit(url, { viewport: { width: 390, height: 900 } });
    for (const [path, part] of [
      ["/reference/access-files.html", ".vp-doc table"],
      ["/understand/outcomes.html", ".diagram"],
    ]) {
      await page.goto(url + path);
      const cut = `[...document.querySelectorAll("${part}")].filter((one) => one.scrollWidth > one.clientWidth)`;
      expect(await page.evaluate(`${cut}.length`), path).toBeGreaterThan(0);
      const plain = `(one) => !getComputedStyle(one).backgroundImage.includes("gradient")`;
      expect(await page.evaluate(`${cut}.filter(${plain}).length`), path).toBe(0);
    }
    await page.goto(`${url}/reference/access-files.html`);
    const colours = `new Set([...document.querySelectorAll(".vp-doc :is(tr, th, td)")].map((one) => getComputedStyle(one).backgroundColor))`;
    const translucent = /^rgba\(.*, 0(\.\d+)?\)$/;
    for (const colour of (await page.evaluate(`[...${colours}]`)) as string[]) expect(colour).toMatch(translucent);
  });

  it("each label of a diagram is within its box", async () => {
    const { page } = await visit(url, { viewport: { width: 1440, height: 900 } });
    const drawn = pages().filter((path) => html(path).includes('class="diagram"'));
    expect(drawn.length).toBeGreaterThan(5);
    for (const path of drawn) {
      await page.goto(`${url}/${path}`);
      await page.locator(".diagram svg").first().waitFor();
      expect(await page.evaluate(LABELS_OUTSIDE), path).toEqual([]);
    }
  });

  it("the list of pages shows the page that is read", async () => {
    const { page } = await visit(url, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/cli.html`, { waitUntil: "networkidle" });
    const place = page.locator(".VPSidebarItem.is-active");
    expect((await place.boundingBox())?.y).toBeLessThan(900);
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.goto(`${url}/operate/start.html`, { waitUntil: "networkidle" });
    await page.locator(".VPNavBarMenuLink", { hasText: "HTTP" }).click();
    await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
    expect((await place.boundingBox())?.y).toBeLessThan(900);
  });

  it.each([
    [1440, "dark", "console-dark"],
    [1440, "light", "console"],
    [390, "light", "console-phone"],
  ] as const)("the console's page shows it as a screen %i wide, %s, shows it: %s", async (width, colorScheme, name) => {
    const { page } = await visit(url, { viewport: { width, height: 900 }, colorScheme });
    await page.goto(`${url}/operate/console.html`, { waitUntil: "networkidle" });
    expect(await page.evaluate("document.querySelector('.vp-doc picture img').currentSrc")).toMatch(
      new RegExp(`/${name}\\.[^/]+\\.png$`),
    );
  });

  it("the contents of a page name each command by its own words, and nothing twice", async () => {
    const { page } = await visit(url, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/cli.html`, { waitUntil: "networkidle" });
    const names = await page.locator(".VPDocAsideOutline .outline-link").allTextContents();
    expect(names).toContain("trading status");
    expect(names.filter((name) => name.startsWith("trading-admin"))).toEqual([]);
    expect(names.length).toBe(new Set(names).size);
  });

  it("the TypeScript reference looks as the pages do: same links at its top, same light or dark, and a way back", async () => {
    const { page, problems } = await visit(url, { colorScheme: "light", viewport: { width: 1440, height: 900 } });
    await page.goto(url, { waitUntil: "networkidle" });
    const links = await page.locator(".VPNavBarMenuLink").allTextContents();
    await page.locator(".VPNavBarAppearance button").click();
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto(`${url}/api/`, { waitUntil: "networkidle" });
    expect(await page.locator("#tsd-toolbar-links a").allTextContents()).toEqual(links.map((text) => text.trim()));
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(background);
    expect(problems).toEqual([]);
    await page.locator(".tsd-toolbar-contents .title").click();
    await page.locator(".VPHero").waitFor();
  });

  it("the search of the TypeScript reference says what it finds, and begins with what a program imports", async () => {
    const { page } = await visit(url, { viewport: { width: 1440, height: 900 } });
    await page.goto(`${url}/api/`, { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Search TypeScript names" }).click();
    await page.getByPlaceholder("Search TypeScript names").fill("halt");
    const found = page.locator("#tsd-search-results li");
    await found.first().waitFor();
    const names = await found.allTextContents();
    expect(names.length).toBeGreaterThan(5);
    expect(names.slice(0, 5).filter((name) => name.includes("/testing."))).toEqual([]);
  });

  it("the TypeScript reference begins with what each entry is for", () => {
    const text = html("api/index.html");
    expect(text).toMatch(/<h1[^>]*>(?:<[^>]+>)*TypeScript reference/);
    for (const name of Object.keys(PATHS)) {
      expect(text, name).toMatch(new RegExp(`<td><a[^>]*>${name}</a></td>\\s*<td>\\w`));
    }
  });
});

describe("D-DOC 23: the workflow of the site", () => {
  it("builds it on each push, and publishes it by hand or where a variable of the repository says so", () => {
    const { on, jobs } = parse(readFileSync(join(ROOT, ".github/workflows/site.yml"), "utf8"));
    expect(Object.keys(on)).toEqual(["push", "workflow_dispatch"]);
    expect(jobs.build.if).toBeUndefined();
    expect(jobs.publish).toMatchObject({
      needs: "build",
      if: "github.event_name == 'workflow_dispatch' || vars.PUBLISH_SITE == 'true'",
    });
  });
});
