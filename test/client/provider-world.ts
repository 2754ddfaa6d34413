import { openTokenAuthentication } from "../../src/auth/token/token-authentication.ts";
import { IdentityProvider } from "../auth/token/identity-provider.ts";
import type { HttpWorld } from "../support/world.ts";
import { withWorld } from "./calls.ts";

/** Audience of the tokens that the API takes. */
export const AUDIENCE = "urn:rs256:trading-admin";

/** The API with the mechanism PROVIDER and a real provider, on a clock that `pass` moves. */
export async function withProvider(
  during: (provider: IdentityProvider, world: HttpWorld, pass: (ms: number) => void) => Promise<void>,
): Promise<void> {
  const provider = await IdentityProvider.start();
  let now = Date.now();
  const { authenticator, close } = await openTokenAuthentication({
    issuerUri: provider.issuer,
    audiences: [AUDIENCE],
    authoritiesClaim: "realm_access.roles",
    authorityMapping: { "halt-desk": ["HALT_RESUME_TRADING"] },
    clock: { now: () => now, monotonic: () => now, schedule: () => () => {} },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  await withWorld((world) => during(provider, world, pass), {
    authentication: async () => ({ authenticator, credentials: () => "", close }),
  });
}
