import { hostOf, isLoopback } from "../../core/urls.ts";

/** Where a server of the directory listens, and how the way to it is protected. */
export interface LdapServer {
  /** As it is written in the file, for messages. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly protection: "none" | "tls" | "starttls";
}

const PROTECTIONS: Readonly<Record<string, Pick<LdapServer, "protection" | "port">>> = {
  "ldap:": { protection: "none", port: 389 },
  "ldaps:": { protection: "tls", port: 636 },
  "ldap+starttls:": { protection: "starttls", port: 389 },
};

/**
 * Reads the URL of an LDAP server: `ldap://` is plain, `ldaps://` is TLS from the first byte, `ldap+starttls://` is TLS after
 * the StartTLS operation (RFC 4511 section 4.14), without which nothing is sent.
 *
 * @returns what is wrong, as text, when it is not such a URL or says more than scheme, host and port.
 */
export function parseLdapUrl(text: string): LdapServer | string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const way = PROTECTIONS[url?.protocol ?? ""];
  if (!url || !way || url.hostname === "") {
    return "must be ldap://host:port, ldaps://host:port (TLS) or ldap+starttls://host:port (StartTLS)";
  }
  if (url.username !== "" || url.password !== "") return "may not hold a user or a password; use <credentials>";
  if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
    return "may hold scheme, host and port only; give the search base as node of <groups>";
  }
  const host = hostOf(url);
  return { url: text, host, port: url.port === "" ? way.port : Number(url.port), protection: way.protection };
}

/** True when what is sent may be read on the way: no TLS, and another machine. */
export function isReadableOnTheWay({ host, protection }: LdapServer): boolean {
  return protection === "none" && !isLoopback(host);
}
