import { parseAddress } from "../../core/network.ts";

const MAX_LENGTH = 64;

/**
 * What counts as one origin of logins: an IPv4 address, or the /64 network of an IPv6 address, since anyone who has one address of
 * it usually has all. What is no address stands for itself, and so does a caller whose address is not known.
 */
export function networkOrigin(address = ""): string {
  const bare = address.replace(/%.*$/s, "");
  const parsed = parseAddress(bare);
  if (!parsed) return bare.slice(0, MAX_LENGTH);
  if (!("parts" in parsed)) return parsed.toString();
  const groups = parsed.parts.slice(0, 4).map((group) => group.toString(16));
  return `${groups.join(":")}::/64`;
}
