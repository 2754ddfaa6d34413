import type { Fetch } from "../../client/exchange.ts";
import { say } from "../terminal/say.ts";

/** Shows each request and what came of it on standard error: no headers, so no credentials. */
export function shownOnStandardError(fetch: Fetch): Fetch {
  return async (url, init) => {
    const started = performance.now();
    const id = (init.headers as Record<string, string>)["X-Request-Id"];
    const request = `${init.method} ${url} request id ${id}`;
    const took = (): string => `${(performance.now() - started).toFixed(1)} ms`;
    try {
      const response = await fetch(url, init);
      say(`${request}: ${response.status} in ${took()}`);
      return response;
    } catch (error) {
      say(`${request}: ${(error as Error).message} after ${took()}`);
      throw error;
    }
  };
}
