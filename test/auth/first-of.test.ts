import { describe, expect, it } from "vitest";
import { type Authentication, type Authenticator, closedAuthenticator } from "../../src/auth/authenticator.ts";
import { firstOf } from "../../src/auth/first-of.ts";
import { principal } from "../../src/core/principal.ts";

/** Takes one header, refuses others of its scheme, and does not know the rest. */
function taking(scheme: string, accepted: string, isAsync = false): Authenticator {
  const answer = (authorization: string | undefined): Authentication => {
    if (authorization === `${scheme} ${accepted}`) return { kind: "principal", principal: principal(accepted) };
    if (!authorization?.startsWith(scheme)) return { kind: "challenge", challenge: scheme };
    const presented = { user: null, authentication: "bearer" } as const;
    return { kind: "challenge", challenge: `${scheme} error="invalid"`, presented };
  };
  return {
    authenticate: (authorization) => (isAsync ? Promise.resolve(answer(authorization)) : answer(authorization)),
  };
}

const FAILING: Authenticator = { authenticate: () => Promise.reject(new Error("provider is down")) };
const THROWING: Authenticator = {
  authenticate() {
    throw new Error("provider is down");
  },
};

describe("firstOf combines authenticators", () => {
  const both = firstOf(taking("Bearer", "job", true), taking("Basic", "alice"));

  it("accepts what any of them accepts", async () => {
    expect(await both.authenticate("Bearer job")).toMatchObject({ principal: { name: "job" } });
    expect(await both.authenticate("Basic alice")).toMatchObject({ principal: { name: "alice" } });
  });

  it("sends the challenges of all to a caller without credentials", async () => {
    expect(await both.authenticate(undefined)).toEqual({ kind: "challenge", challenge: "Bearer, Basic" });
  });

  it("counts credentials that one of them refused as a failed login", async () => {
    expect(await both.authenticate("Basic eve")).toEqual({
      kind: "challenge",
      challenge: 'Bearer, Basic error="invalid"',
      presented: { user: null, authentication: "bearer" },
    });
  });

  it("decides immediately where they decide immediately", () => {
    const sync = firstOf(taking("Bearer", "job"), taking("Basic", "alice"));
    expect(sync.authenticate("Basic alice")).toMatchObject({ kind: "principal" });
  });

  it.each([
    ["later", FAILING],
    ["immediately", THROWING],
  ])("accepts what one accepts although another one fails %s; otherwise that failure counts", async (_, failing) => {
    const halfBroken = firstOf(failing, taking("Basic", "alice", true));
    expect(await halfBroken.authenticate("Basic alice")).toMatchObject({ kind: "principal" });
    await expect(halfBroken.authenticate("Basic eve")).rejects.toThrow("provider is down");
  });

  it("is closed when all are, and needs one at least", async () => {
    expect(await firstOf(closedAuthenticator("off")).authenticate("Basic alice")).toEqual({
      kind: "closed",
      reason: "off",
    });
    expect(() => firstOf()).toThrow(TypeError);
  });
});
