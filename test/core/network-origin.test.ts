import { describe, expect, test } from "vitest";
import { networkOrigin } from "../../src/core/network.ts";

describe("D-LOGIN 7: logins of one network count together", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["1:2:3:4:5:6:192.0.2.1", "1:2:3:4::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["unix socket", "unix socket"],
  ])("for %s", (address, origin) => {
    expect(networkOrigin(address)).toBe(origin);
  });

  test("and a caller whose address is not known is an origin like any other", () => {
    expect(networkOrigin(undefined)).toBe("");
  });

  test("and what is not an address is truncated", () => {
    expect(networkOrigin("x".repeat(1_000))).toHaveLength(64);
  });
});
