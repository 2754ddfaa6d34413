import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** A network in CIDR terms: address and prefix length. */
export type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];

/**
 * Parses an IP address; IPv4 needs four decimal parts. An IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) becomes IPv4. Undefined
 * for any other text.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}

/** Whether a text is an IP address or a network in CIDR form, such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/** Parses a network, see {@link isNetwork}; an address is a network of one host. */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", prefix, ...more] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || more.length > 0) return undefined;
  const parsed = ipaddr.parse(address);
  const bits = parsed.toByteArray().length * 8;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) return undefined;
  return inOwnForm(parsed, Number(prefix ?? bits));
}

/** Converts an IPv4-mapped IPv6 network to IPv4. */
function inOwnForm(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): Network {
  const isMapped = "parts" in address && address.isIPv4MappedAddress() && prefix >= 96;
  return isMapped ? [address.toIPv4Address(), prefix - 96] : [address, prefix];
}

/** Whether an address belongs to a network of the same IP version. */
export function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, prefix]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

const MAX_LENGTH = 64;

/**
 * What counts as one origin of requests: an IPv4 address, or the /64 network of an IPv6 address, since anyone who has one address of it
 * usually has all. What is not an address stands for itself, and so does a caller whose address is not known.
 */
export function networkOrigin(address = ""): string {
  const bare = address.replace(/%.*$/s, "");
  const parsed = bare.includes(":") ? parseAddress(bare) : undefined;
  if (!parsed) return bare.slice(0, MAX_LENGTH);
  if (!("parts" in parsed)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
