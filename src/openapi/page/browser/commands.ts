import { shellWord } from "../../../core/values/basics.ts";
import type { PageRequest, RequestedOperation } from "./page-document.ts";

/** How callers of the installation show who they are. */
export type Security = "basic" | "bearer";

const CREDENTIALS: Readonly<Record<Security, string>> = {
  // curl asks for the password.
  basic: '--user "$TRADING_ADMIN_USER"',
  bearer: '--oauth2-bearer "$TRADING_ADMIN_TOKEN"',
};

/** The request as a command for a shell; credentials are never in it. */
export function curlCommand({ url, method, headers, body }: PageRequest, security: Security): string {
  const parts = ["curl --fail-with-body", CREDENTIALS[security]];
  if (method.toUpperCase() !== "GET") parts.push(`--request ${method.toUpperCase()}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(?:authorization|accept)$/i.test(name)) parts.push(`--header ${shellWord(`${name}: ${value}`)}`);
  }
  if (body !== undefined) parts.push(`--data-raw ${shellWord(body)}`);
  return [...parts, shellWord(url)].join(" \\\n  ");
}

/** The same with the command of this package, which takes its credentials from the environment. */
export function callCommand({ operation, input }: RequestedOperation, request: PageRequest, basePath: string): string {
  const { origin, pathname } = new URL(request.url);
  const mounted = pathname.slice(0, Math.max(0, pathname.indexOf(basePath)));
  const call = `trading-admin call ${operation.operationId} --url ${shellWord(origin + mounted)}`;
  return Object.keys(input).length === 0 ? call : `${call} ${shellWord(JSON.stringify(input))}`;
}
