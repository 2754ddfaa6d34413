import type { Fetch } from "../../client/exchange.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { hostInUrl, isLoopback } from "../../core/urls.ts";
import { linesOf } from "../../core/values/basics.ts";
import type { FixPort } from "../../engine/fix/port.ts";
import { writeWords } from "./output.ts";

/**
 * Writes a line for the person at the terminal; standard output is for data. What others sent must not steer a terminal, nor make lines of its
 * own: line feeds in it are shown as any control character.
 */
export function printInfo(line: string): void {
  writeWords(`${escapeControlCharacters(line)}\n`);
}

/** A line that begins with the name of the command, as an error does. */
export function printError(text: string): void {
  printInfo(`trading-admin: ${text}`);
}

/** Why nothing more is done: an error that lists faults has a line for each. */
export function printErrorOf(thrown: unknown): void {
  const [first = "", ...others] = linesOf(thrown);
  printError(first);
  for (const line of others) printInfo(line);
}

/** Something that the user has to know, although the command continues. */
export function warn(text: string): void {
  printError(`warning: ${text}`);
}

const INTERVAL_MS = 1_000;
const CLEAR_LINE = "\r\u001b[K";

/** Runs work; what takes longer than a second has a line on standard error that counts the seconds, in a terminal only. */
async function withProgress<T>(words: string, work: Promise<T>): Promise<T> {
  if (process.stderr.isTTY !== true) return work;
  const started = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    const seconds = Math.round((performance.now() - started) / 1_000);
    writeWords(`${CLEAR_LINE}${words}, ${seconds} s`);
  }, INTERVAL_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) writeWords(CLEAR_LINE);
  }
}

/** Shows for each request that the gateway takes its time. */
export function withProgressLine(fetch: Fetch): Fetch {
  return (url, init) => withProgress(`waiting for ${new URL(url).origin}`, fetch(url, init));
}

/** Shows each request and what came of it on standard error: no headers, so no credentials. */
export function shownOnStandardError(fetch: Fetch): Fetch {
  return async (url, init) => {
    const started = performance.now();
    const id = (init.headers as Record<string, string>)["X-Request-Id"];
    const request = `${init.method} ${url} request id ${id}`;
    const took = (): string => `${(performance.now() - started).toFixed(1)} ms`;
    try {
      const response = await fetch(url, init);
      printInfo(`${request}: ${response.status} in ${took()}`);
      return response;
    } catch (error) {
      printInfo(`${request}: ${(error as Error).message} after ${took()}`);
      throw error;
    }
  };
}

/** Width of the names: the longest usual one is `authentication`. */
const NAME_WIDTH = 14;

/** A line of what a program prints for the operator when it is ready. */
export function startLine(name: string, text: string): string {
  return `  ${name.padEnd(NAME_WIDTH)}  ${text}`;
}

export function fixPortLine({ gateway, host, port }: FixPort): string {
  const warning = isLoopback(host) ? "" : "  whoever reaches this address can send orders to the simulator";
  return startLine(`fix ${gateway}`, `${hostInUrl(host)}:${port}${warning}`);
}
