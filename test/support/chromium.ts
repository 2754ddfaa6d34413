import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { openChromium } from "./open-chromium.ts";

/** A page that is open, and what was wrong with it. */
export interface Visit {
  readonly page: Page;
  /** Everything that the console, the content security policy and the network complained of. */
  readonly problems: readonly string[];
}

/** Opens an empty page, which may ask `origin` and nobody else; it is closed when the test ends. */
export type Visitor = (origin: string, options?: BrowserContextOptions) => Promise<Visit>;

/** Has a Chromium for the tests of a file. */
export function useChromium(): Visitor {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openChromium();
  }, 300_000);
  afterAll(() => browser.close());
  return async (origin, options) => {
    const context = await browser.newContext(options);
    // On a busy machine a click may take its time; a limit is there to fail, not to measure.
    context.setDefaultTimeout(120_000);
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
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // The page itself gives up a read that takes long on a busy machine, and repeats it.
    if (reason !== "net::ERR_ABORTED") problems.push(`${request.url()} failed: ${reason}`);
  });
  return problems;
}
