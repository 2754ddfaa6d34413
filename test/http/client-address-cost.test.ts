import { describe, expect, it } from "vitest";
import { CallerAddresses } from "../../src/http/client-address.ts";

describe("D-LOAD 11: what it costs to find the caller is bounded by the length of the header", () => {
  const HEADERS = ["X-Forwarded-For", "Forwarded"] as const;
  const addresses = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];

  /** Smallest of many measurements of the time that it takes to read a header of so many characters. */
  function costOf(header: (typeof HEADERS)[number], shape: (length: number) => string, length: number): number {
    const value = shape(length);
    const callers = new CallerAddresses({ addresses, header });
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 30; round += 1) {
      const startedAt = performance.now();
      for (let call = 0; call < 10; call += 1) callers.callerOf("10.1.1.1", () => value);
      least = Math.min(least, performance.now() - startedAt);
    }
    return least;
  }

  const filled = (unit: string, end = "") => {
    return (length: number): string => unit.repeat((length - end.length) / unit.length) + end;
  };

  it.each<[string, (length: number) => string]>([
    ["elements without an address", filled("a=,", "for=x")],
    ["elements without an address before a proxy", filled("a=,", "for=10.2.2.2")],
    ["pairs of one element", filled("a=;", "for=10.2.2.2")],
    ["proxies", filled("for=10.2.2.2,", "for=10.2.2.2")],
    ["proxies with ports", filled("10.2.2.2:80,", "10.2.2.2")],
    ["commas", filled(",")],
    ["blanks", filled(" ", "for=x")],
    ["open quotes", filled('"')],
    ["escaped quotes", filled('\\"', '"')],
    ["backslashes", filled("\\", '"')],
    ["backslashes in a quote", (length) => `for="${"\\".repeat(length - 7)}",`],
    ["quotes that are closed", filled('a="",', "for=10.2.2.2")],
    ["an address that never ends", (length) => `for="[${"1:".repeat(length / 2)}]"`],
  ])("%s: sixteen times the length is not more than 64 times the work", (_name, shape) => {
    for (const header of HEADERS) {
      // What is quadratic takes 256 times.
      expect(costOf(header, shape, 16_000) / costOf(header, shape, 1_000)).toBeLessThan(64);
    }
  });
});
