import { BlockList, isIP } from "node:net";

/** Whether a host name or IP address (IPv6 without brackets) is a loopback one. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  const addresses = new BlockList();
  addresses.addSubnet("127.0.0.0", 8, "ipv4");
  addresses.addAddress("::1", "ipv6");
  return addresses.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** The host of a URL as `node:net` takes it: an IPv6 address without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** A host name or IP address in URL syntax. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** From the scheme of a URL, or the first colon where there is none, to the last `@`: what does not parse is not safer. */
const USER_INFO = /(:\/\/|\/\/|:).*@/s;

/**
 * The query and fragment of a URL, or from the first parameter of what may be a part of one, to the end of the text, or of the text in
 * quotes.
 */
const PARAMETERS = /(:\/\/[^"?#]*[?#])(?:[^"\\]|\\.)+|([?#])[^"?#=]*=(?:[^"\\]|\\.)*/gs;

/** It may be a private key. */
const PEM = /-----BEGIN[^"]*/g;

/** Longer texts are not searched, which would take time that grows with their square, but hidden whole. */
const MAX_SHOWN = 4_096;

/**
 * A text that an operator or another party gave, for messages: without the user and password and the parameters of a URL in it, whether well-formed or not, and
 * without PEM. Rather hides too much: of several URLs in one text, the first scheme and the last host stay.
 */
export function withoutSecrets(text: string): string {
  if (text.length > MAX_SHOWN) return `"*** (${text.length} characters)"`;
  return text.replace(USER_INFO, "$1***@").replace(PARAMETERS, "$1$2***").replace(PEM, "***");
}
