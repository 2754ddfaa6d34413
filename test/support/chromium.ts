import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { CACHE } from "./debian-packages.ts";
import { findProgram } from "./find-program.ts";

const DEBIAN = {
  packages: ["chromium", "chromium-common", "fonts-dejavu-core"],
  programs: ["usr/lib/chromium/chromium"],
};

/** A page that is open, and what was wrong with it. */
export interface Visit {
  readonly page: Page;
  /** Everything that the console, the content security policy and the network complained of. */
  readonly problems: readonly string[];
}

/** Opens an empty page, which may ask `origin` and nobody else; it is closed when the test ends. */
export type Visitor = (origin: string, options?: BrowserContextOptions) => Promise<Visit>;

/** Starts a headless Chromium for the tests of a file; `CHROMIUM` may name one. */
export function useChromium(): Visitor {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  }, 300_000);
  afterAll(() => browser.close());
  return async (origin, options) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    return { page, problems: problemsOf(page, origin) };
  };
}

function problemsOf(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`a request to ${request.url()}`);
  });
  page.on("requestfailed", (request) => problems.push(`${request.url()} failed: ${request.failure()?.errorText}`));
  return problems;
}

async function openChromium(): Promise<Browser> {
  const found = await findProgram({ name: "chromium", variable: "CHROMIUM", debian: DEBIAN });
  const env: Record<string, string> = { FONTCONFIG_FILE: await writeFontSettings(join(found.root, "usr/share/fonts")) };
  for (const [name, value] of Object.entries(found.environment)) env[name] ??= value ?? "";
  // The sandbox needs rights that neither containers nor superusers give; only pages of the tests are opened.
  return chromium.launch({ executablePath: found.path, env, args: ["--no-sandbox"] });
}

/** Fonts of the packages; the machine may have none. */
async function writeFontSettings(fonts: string): Promise<string> {
  const file = join(CACHE, "fonts.conf");
  await mkdir(CACHE, { recursive: true });
  const cache = join(CACHE, "fonts");
  await writeFile(file, `<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`);
  return file;
}
