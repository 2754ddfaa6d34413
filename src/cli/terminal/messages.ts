import type { Fetch } from "../../client/exchange.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { hostInUrl, isLoopback } from "../../core/urls.ts";
import { linesOf } from "../../core/values/basics.ts";
import type { FixPort } from "../../engine/fix/port.ts";
import { writeWords } from "./output.ts";

const CLEAR_LINE = "\r\u001b[K";

/**
 * Writes a line for the person at the terminal, in place of a progress line; standard output is for data. What others sent must not steer a
 * terminal, nor make lines of its own: line feeds in it are shown as any control character.
 */
export function printInfo(line: string): void {
  writeWords(`${isTerminal() ? CLEAR_LINE : ""}${escapeControlCharacters(line)}\n`);
}

function isTerminal(): boolean {
  return process.stderr.isTTY === true;
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

/** One line on standard error for all requests in progress: the seconds of the oldest. */
class ProgressLine {
  /** Where each goes and since when, the oldest first. */
  readonly #requests = new Map<symbol, readonly [origin: string, since: number]>();
  #timer: NodeJS.Timeout | undefined;
  #isShown = false;

  /** Returns what to call at the end of the request. */
  begin(origin: string): () => void {
    const request = Symbol(origin);
    this.#requests.set(request, [origin, performance.now()]);
    this.#timer ??= setInterval(() => this.#show(), INTERVAL_MS);
    return () => this.#end(request);
  }

  #show(): void {
    const [oldest] = this.#requests.values();
    if (!oldest) return;
    const [origin, since] = oldest;
    const seconds = Math.round((performance.now() - since) / 1_000);
    if (seconds > 0) writeWords(`${CLEAR_LINE}waiting for ${origin}, ${seconds} s`);
    this.#isShown ||= seconds > 0;
  }

  #end(request: symbol): void {
    this.#requests.delete(request);
    if (this.#requests.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#isShown) writeWords(CLEAR_LINE);
    this.#isShown = false;
  }
}

/** Shows that the gateway takes its time, where a request lasts longer than a second; in a terminal only. */
export function withProgressLine(fetch: Fetch): Fetch {
  if (!isTerminal()) return fetch;
  const line = new ProgressLine();
  return async (url, init) => {
    const end = line.begin(new URL(url).origin);
    try {
      return await fetch(url, init);
    } finally {
      end();
    }
  };
}

/** Shows each request and its result on standard error: no headers, so no credentials. */
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
