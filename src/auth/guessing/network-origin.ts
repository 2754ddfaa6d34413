import { isIPv4, isIPv6 } from "node:net";

const MAX_LENGTH = 64;

/**
 * What counts as one origin of logins: an IPv4 address, or the /64 network of an IPv6 address, since anyone who has one address of
 * it usually has all. What is no address stands for itself, and so does a caller whose address is not known.
 */
export function networkOrigin(address: string | undefined): string {
  if (address === undefined) return "";
  const bare = address.replace(/%.*$/s, "");
  if (isIPv4(bare) || !isIPv6(bare)) return bare.slice(0, MAX_LENGTH);
  return mappedIpv4(bare) ?? `${groupsOf(bare).slice(0, 4).join(":")}::/64`;
}

/** An IPv4 caller at a socket for both versions of IP has an address such as `::ffff:192.0.2.1` (RFC 4291 section 2.5.5.2). */
function mappedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join(":") !== "0:0:0:0:0:ffff") return undefined;
  const bytes = groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
  return bytes.join(".");
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [left = "", right] = withoutDots(address).split("::");
  const head = split(left);
  const tail = split(right ?? "");
  const between = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...between, ...tail];
}

function split(groups: string): string[] {
  return groups === "" ? [] : groups.split(":").map((group) => Number.parseInt(group, 16).toString(16));
}

/** The last two groups may be written as an IPv4 address. */
function withoutDots(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) => {
    const group = (high: string, low: string): string => (Number(high) * 256 + Number(low)).toString(16);
    return `${group(a, b)}:${group(c, d)}`;
  });
}
