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
