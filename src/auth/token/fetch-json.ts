import { hostOf, isLoopback, withoutSecrets } from "../../core/urls.ts";

/**
 * The identity provider did not give its keys: it is unreachable, or its response cannot be used. The message names the
 * address and the reason.
 */
export class IdentityProviderError extends Error {
  override readonly name = "IdentityProviderError";
}

const MAX_BYTES = 512 * 1024;
const MAX_REDIRECTS = 3;

/**
 * Fetches a JSON document from an identity provider: at most 512 KiB, and no redirect to another host. `signal` limits the
 * time.
 *
 * @throws IdentityProviderError whatever goes wrong.
 */
export async function fetchJson(address: URL, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await get(address, signal, MAX_REDIRECTS);
    return JSON.parse(await readText(response));
  } catch (cause) {
    throw new IdentityProviderError(`${withoutSecrets(address.href)}: ${describeFetchError(cause)}`, { cause });
  }
}

async function get(address: URL, signal: AbortSignal, redirects: number): Promise<Response> {
  const response = await fetch(address, { redirect: "manual", signal, headers: { accept: "application/json" } });
  if (response.status === 200) return response;
  await response.body?.cancel();
  const location = response.headers.get("location");
  if (location === null || response.status < 300 || response.status > 399) {
    throw new Error(`the response has status ${response.status} instead of 200`);
  }
  const next = new URL(location, address);
  if (next.origin !== address.origin) throw new Error(`a redirect to another host, ${next.origin}, is not followed`);
  if (redirects === 0) throw new Error("too many redirects");
  return get(next, signal, redirects - 1);
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new Error(`the response is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

/** `fetch` says only "fetch failed"; the reason is in its cause, whose message may be empty. */
function describeFetchError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no response in time";
  if (error.cause instanceof Error) {
    const code = "code" in error.cause ? String(error.cause.code) : error.cause.name;
    return error.cause.message === "" ? code : error.cause.message;
  }
  return error instanceof SyntaxError ? "the response is not JSON" : error.message;
}

/**
 * Reads the address of an identity provider: `https`, or `http` on this machine only, since anyone who can change the response on
 * its way can issue tokens. No user, password or fragment.
 *
 * @throws TypeError that names `what` and the fault.
 */
export function providerAddress(what: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new TypeError(`${what} is not a URL`);
  if (url.username || url.password || url.hash) {
    throw new TypeError(`${what} must not hold a user, a password or a fragment`);
  }
  if (!isTrusted(url)) {
    throw new TypeError(
      `${what} must begin with https:// (http:// only on this machine), is ${withoutSecrets(url.href)}`,
    );
  }
  return url;
}

function isTrusted(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(hostOf(url)));
}
