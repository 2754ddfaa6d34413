import { describe, expect, it } from "vitest";
import { isNetwork, isWithin, parseAddress, parseNetwork } from "../../src/core/network.ts";
import { isLoopback } from "../../src/core/urls.ts";

/** Whether an address lies in a network, both as text. */
function holds(network: string, address: string): boolean {
  const [parsed, within] = [parseAddress(address), parseNetwork(network)];
  if (!parsed || !within) throw new Error(`${address} or ${network} cannot be parsed`);
  return isWithin(parsed, within);
}

describe("D-GATE 3: whom a network of trusted proxies holds", () => {
  it.each([
    ["10.0.0.0/8", "10.255.255.255", "11.0.0.0"],
    ["192.168.1.128/25", "192.168.1.128", "192.168.1.127"],
    ["203.0.113.9", "203.0.113.9", "203.0.113.8"],
    ["203.0.113.9/32", "203.0.113.9", "203.0.113.10"],
    ["2001:db8:1::/48", "2001:db8:1:ffff::1", "2001:db8:2::"],
    ["2001:db8::7", "2001:db8::7", "2001:db8::8"],
    ["10.0.0.0/8", "::ffff:10.1.2.3", "::ffff:11.1.2.3"],
    ["::ffff:10.0.0.0/104", "10.255.0.1", "11.0.0.1"],
    ["::ffff:10.0.0.1/128", "10.0.0.1", "10.0.0.2"],
    ["::ffff:0.0.0.0/96", "203.0.113.9", "2001:db8::7"],
  ])("%s holds %s and not %s", (network, inside, outside) => {
    expect([holds(network, inside), holds(network, outside)]).toEqual([true, false]);
  });

  it("a network of IPv6 that is wider than that of all IPv4 addresses holds none of those", () => {
    expect([holds("::/0", "2001:db8::7"), holds("::/0", "10.0.0.1"), holds("::ffff:0:0/95", "10.0.0.1")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("a network of all addresses of IPv4 holds none of IPv6", () => {
    expect([holds("0.0.0.0/0", "203.0.113.9"), holds("0.0.0.0/0", "2001:db8::7")]).toEqual([true, false]);
  });

  it.each(["10.0.0.1", "10.0.0.0/8", "10.0.0.0/0", "10.0.0.0/32", "2001:db8::/128", "::1"])("%j is one", (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  it.each([
    "",
    "/8",
    "proxy",
    "proxy/8",
    "10.0.0/8",
    "010.0.0.1",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8 ",
    "10.0.0.0/x8",
    "10.0.0.0/0008",
    "10.0.0.0/8/8",
    "2001:db8::/129",
    "fe80::1%eth0",
  ])("%j is none", (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});

describe("D-GATE 8: an address that only this machine reaches", () => {
  it.each(["127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "localhost", "LocalHost"])(
    "may be %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each(["0.0.0.0", "::", "128.0.0.1", "::2", "::ffff:10.0.0.1", "localhost.example", "127.0.0.1.example", ""])(
    "is not %j",
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
