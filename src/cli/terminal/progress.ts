import type { Fetch } from "../../client/exchange.ts";

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
    process.stderr.write(`${CLEAR_LINE}${words}, ${seconds} s`);
  }, INTERVAL_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isShown) process.stderr.write(CLEAR_LINE);
  }
}

/** Shows for each request that the gateway takes its time. */
export function withProgressLine(fetch: Fetch): Fetch {
  return (url, init) => withProgress(`waiting for ${new URL(url).origin}`, fetch(url, init));
}
