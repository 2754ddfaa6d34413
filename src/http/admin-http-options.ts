import type { Authenticator } from "../auth/authenticator.ts";
import type { AdminApi } from "../core/admin-api.ts";
import { BASE_PATH } from "../core/conventions.ts";
import { DEFAULT_MAX_BODY_BYTES, HELD_OF_CALLER_BYTES } from "../core/load/held-bytes.ts";
import type { CallName } from "../core/operations/table.ts";
import {
  ADMIN_API,
  arrayOf,
  FLAG,
  fieldsOf,
  functionLike,
  ifGiven,
  integer,
  listLike,
  objectWith,
  oneOf,
  optionsOf,
  requireArgument,
  textLike,
} from "../core/options.ts";
import type { HttpDocument } from "./documents.ts";

/** Proxies in front of the server that are trusted to name the caller's address. */
export interface TrustedProxies {
  /** Addresses and networks (CIDR) of the proxies, for example `10.1.2.3` and `10.0.0.0/8`. */
  readonly addresses: readonly string[];
  /** The header that these proxies write; `X-Forwarded-For` by default. The other one is never read. */
  readonly header?: "X-Forwarded-For" | "Forwarded";
}

const HEADERS = { "X-Forwarded-For": true, Forwarded: true };

export const TRUSTED_PROXIES = fieldsOf<TrustedProxies>({
  addresses: listLike('["10.0.0.0/8"]'),
  header: ifGiven(oneOf(HEADERS)),
});

/** A response to a request, for logs and metrics. Holds neither paths nor credentials. */
export interface ResponseReport {
  readonly method: string;
  /** Null if the request asked for no operation, or its credentials were refused. */
  readonly operation: CallName | null;
  readonly status: number;
  /** `X-Request-Id` of the response. */
  readonly requestId: string;
  /** Null if the credentials were refused. */
  readonly user: string | null;
  /** Network address of the caller, if the adapter knows it. */
  readonly address: string | undefined;
  /** Milliseconds from the request's headers to its response. */
  readonly durationMs: number;
}

/** Called with every response, before it is written. */
export type ResponseListener = (report: ResponseReport) => void;

/** How the API is served over HTTP. */
export interface AdminHttpOptions {
  /**
   * Who may call: `authenticator` of `openSimpleAuthentication`, `openLdapAuthentication` or `openTokenAuthentication`, a
   * `basicAuthenticator`, or your own.
   */
  readonly authenticator: Authenticator;
  /** Path of the API below the mount point; `/api/admin/v1` unless a host mounts it elsewhere. */
  readonly basePath?: string;
  /** Bytes of the largest request body, at most 32 MiB; 128 KiB by default. */
  readonly maxBodyBytes?: number;
  /** Proxies that are trusted to name the caller's address; none by default. */
  readonly trustedProxies?: TrustedProxies;
  /** Content served beside the API, for the same credentials. */
  readonly documents?: readonly HttpDocument[];
  /**
   * Whether pages of other programs have the same origin, as where the API stands beside a user interface. Then a browser's command
   * with HTTP Basic has to come from the console or the interactive page; false by default. An authenticator that takes
   * what else a browser adds, such as a certificate, must refuse an `Authorization` that it does not use: a script can send any.
   */
  readonly onlyOwnPages?: boolean;
  /** Called with every response of the API. */
  readonly onResponse?: ResponseListener;
}

/** With `next` of `adminHandler`, which passes its options on as they are. */
const checked = optionsOf<AdminHttpOptions & { readonly next?: unknown }>("The API's handler", {
  authenticator: objectWith(
    "authenticate",
    "(await openSimpleAuthentication({ directory, environment, log })).authenticator",
  ),
  basePath: ifGiven(textLike('"/api/admin/v1"')),
  maxBodyBytes: ifGiven(integer({ min: 1, max: HELD_OF_CALLER_BYTES })),
  trustedProxies: ifGiven(TRUSTED_PROXIES),
  documents: ifGiven(arrayOf(objectWith("path", ""), "[...docsPage(), ...consolePage({ api })]")),
  onlyOwnPages: ifGiven(FLAG),
  onResponse: ifGiven(functionLike("({ status }) => responses.inc({ status })")),
  next: ifGiven(functionLike("app")),
});

/** The options with the path and the limit that the API has. Throws for what would fail, or never match, at each request. */
export function checkedOptions(
  api: AdminApi,
  options: AdminHttpOptions,
): AdminHttpOptions & Required<Pick<AdminHttpOptions, "basePath" | "maxBodyBytes">> {
  requireArgument("The API's handler", "api", api, ADMIN_API);
  const { basePath = BASE_PATH, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = checked(options);
  if (!/^(?:\/[^/?#]+)*$/.test(basePath)) {
    throw new RangeError(`basePath must begin with a slash and not end with one, is ${JSON.stringify(basePath)}`);
  }
  return { ...options, basePath, maxBodyBytes };
}
