import { type AdminClient, createClient } from "../client/client.ts";
import { pageFetch } from "./page-key.ts";

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
