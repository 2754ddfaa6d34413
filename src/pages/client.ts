import { type AdminClient, createClient } from "../client/client.ts";
import { PAGE_KEY_HEADER, PAGE_KEY_NAME } from "../core/conventions.ts";

/**
 * Makes a client for a page that the API's own server has served: the browser has asked for the credentials, and adds them; the
 * page never has them. Nothing is repeated, since pages read again by themselves.
 */
export function ambientClient(baseUrl: string, basePath: string): AdminClient {
  return createClient({
    baseUrl,
    basePath,
    credentials: { authorization: () => "" },
    fetch: withBrowserCredentials,
    retryReads: false,
  });
}

function withBrowserCredentials(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete("Authorization");
  return pageFetch(url, { ...init, headers });
}

/** `fetch` with the key of this page, if it has one, and with the credentials that the browser adds by itself. */
export function pageFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = pageKey();
  if (key !== undefined) headers.set(PAGE_KEY_HEADER, key);
  return fetch(input, { ...init, headers, credentials: "same-origin" });
}

/** Takes the key from this browser, if it was let in by `trading-admin docs` or `console`. */
export function forgetPageKey(): void {
  try {
    localStorage.removeItem(PAGE_KEY_NAME);
  } catch {
    // Storage that is forbidden holds no key.
  }
}

/** The key that the gateway wrote into this page; otherwise the one that `trading-admin docs` or `console` left in this browser. */
function pageKey(): string | undefined {
  const written = document.querySelector<HTMLMetaElement>(`meta[name="${PAGE_KEY_NAME}"]`)?.content;
  return written ?? storedKey();
}

function storedKey(): string | undefined {
  try {
    return localStorage.getItem(PAGE_KEY_NAME) ?? undefined;
  } catch {
    return undefined;
  }
}
