import { expect, it } from "vitest";
import { RememberedLogins } from "../../src/auth/remembered-logins.ts";
import { principal } from "../../src/core/principal.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

it("D-UAC 10: of one user 16 credentials are remembered, so that many forms of one password push out nobody else's", () => {
  const remembered = new RememberedLogins(new ManualClock());
  remembered.remember("alice", principal("alice"));
  for (let form = 0; form < 20_000; form += 1) remembered.remember(`mallory ${form}`, principal("mallory"));
  expect(remembered.wereAccepted("alice")).toBe(true);
  expect(remembered.get("alice")).toMatchObject({ principal: { name: "alice" } });
  const known = Array.from({ length: 20_000 }, (_, form) => `mallory ${form}`).filter((it) =>
    remembered.wereAccepted(it),
  );
  expect(known).toEqual(Array.from({ length: 16 }, (_, index) => `mallory ${19_984 + index}`));
  remembered.remember("mallory 19984", principal("mallory"));
  remembered.remember("mallory new", principal("mallory"));
  expect(["mallory 19984", "mallory 19985"].map((form) => remembered.get(form) !== undefined)).toEqual([true, false]);
});

it("D-UAC 10: credentials are remembered for five minutes, also where the machine's clock is set back meanwhile", () => {
  let now = Date.UTC(2026, 0, 5, 9, 30);
  const remembered = new RememberedLogins({ now: () => now, schedule: () => () => {} });
  remembered.remember("alice", principal("alice"));
  now -= 24 * 3_600_000;
  expect(remembered.get("alice")).toBe(undefined);
  now += 24 * 3_600_000;
  expect(remembered.get("alice")).toBe(undefined);
  remembered.remember("alice", principal("alice"));
  now += 300_000;
  expect(remembered.get("alice")).toMatchObject({ principal: { name: "alice" } });
  now += 1;
  expect(remembered.get("alice")).toBe(undefined);
});
