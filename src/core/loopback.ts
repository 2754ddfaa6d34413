import { BlockList, isIP } from "node:net";

/** True for a host name or an IP address that only this machine reaches; IPv6 without brackets. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === "localhost";
  const addresses = new BlockList();
  addresses.addSubnet("127.0.0.0", 8, "ipv4");
  addresses.addAddress("::1", "ipv6");
  return addresses.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** A host name or an IP address as URLs write it. */
export function hostInUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
