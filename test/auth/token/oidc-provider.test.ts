import { describe, expect, onTestFinished, test } from "vitest";
import type { Authentication } from "../../../src/auth/authenticator.ts";
import {
  openTokenAuthentication,
  type TokenAuthenticationOptions,
} from "../../../src/auth/token/token-authentication.ts";
import { IdentityProvider } from "./identity-provider.ts";
import { INVALID } from "./tokens.ts";

const RS256 = "urn:rs256:trading-admin";
const ES256 = "urn:es256:trading-admin";
const ACCEPTED = { kind: "principal" };

async function open(options: Partial<TokenAuthenticationOptions>): Promise<(token: string) => Promise<Authentication>> {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const { authenticator, close } = await openTokenAuthentication({ ...options, log });
  onTestFinished(close);
  return async (token) => authenticator.authenticate(`Bearer ${token}`);
}

describe("Authentication 4, 6: tokens that a real provider issues by the client credentials grant", () => {
  test("RS256: the client is the user, with the permissions of its roles", async () => {
    const provider = await IdentityProvider.start();
    const authenticate = await open({
      issuerUri: provider.issuer,
      audiences: [RS256],
      authoritiesClaim: "realm_access.roles",
      authorityMapping: { "halt-desk": ["HALT_RESUME_TRADING", "ENABLE_DISABLE_SERVICE"] },
    });
    expect(await authenticate(await provider.token(RS256))).toEqual({
      kind: "principal",
      principal: {
        name: "kill-switch-bot",
        permissions: new Set(["HALT_RESUME_TRADING", "ENABLE_DISABLE_SERVICE", "CONTROL_FIX_SESSION"]),
        authentication: "bearer",
        tokenId: expect.stringMatching(/./),
        tokenExpires: expect.any(Number),
        clientId: "kill-switch-bot",
      },
    });
  });

  test("ES256 when it is allowed, and not otherwise", async () => {
    const provider = await IdentityProvider.start();
    const allowed = await open({ issuerUri: provider.issuer, audiences: [ES256], algorithms: ["ES256"] });
    const standard = await open({ issuerUri: provider.issuer, audiences: [ES256] });
    const token = await provider.token(ES256);
    expect(await allowed(token)).toMatchObject(ACCEPTED);
    expect(await standard(token)).toEqual(INVALID);
  });

  test("a token for another audience, or of another issuer, is refused", async () => {
    const [provider, other] = await Promise.all([IdentityProvider.start(), IdentityProvider.start()]);
    const authenticate = await open({ issuerUri: provider.issuer, audiences: [RS256] });
    expect(await authenticate(await provider.token("urn:rs256:payroll"))).toEqual(INVALID);
    expect(await authenticate(await other.token(RS256))).toEqual(INVALID);
    const mixed = await open({ issuerUri: provider.issuer, jwkSetUri: `${other.issuer}/jwks`, audiences: [RS256] });
    expect(await mixed(await other.token(RS256))).toEqual(INVALID);
  });

  test("after its keys were rotated, new tokens are accepted and old ones are not", async () => {
    const provider = await IdentityProvider.start();
    let now = Date.now();
    const clock = { now: () => now, monotonic: () => now, schedule: () => () => {} };
    const authenticate = await open({ issuerUri: provider.issuer, audiences: [RS256], clock });
    const old = await provider.token(RS256);
    expect(await authenticate(old)).toMatchObject(ACCEPTED);
    await provider.rotateKeys();
    now += 30_000;
    expect(await authenticate(await provider.token(RS256))).toMatchObject(ACCEPTED);
    expect(await authenticate(old)).toEqual(INVALID);
  });

  test("a token with one character changed is refused, wherever that is", async () => {
    const provider = await IdentityProvider.start();
    const authenticate = await open({ issuerUri: provider.issuer });
    const token = await provider.token(RS256);
    expect(await authenticate(token)).toMatchObject(ACCEPTED);
    for (let at = 0; at < token.length - 1; at += 7) {
      const other = token[at] === "A" ? "B" : "A";
      expect(await authenticate(`${token.slice(0, at)}${other}${token.slice(at + 1)}`), `position ${at}`).toEqual(
        INVALID,
      );
    }
  });
});
