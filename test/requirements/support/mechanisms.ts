import { it, onTestFinished } from "vitest";
import {
  openTokenAuthentication,
  type TokenAuthenticationOptions,
} from "../../../src/auth/token/token-authentication.ts";
import { dnOf, group, LdapRig, ldapDocument, person, tree, urlOf } from "../../auth/ldap/directory-setup.ts";
import { AUDIENCE, type SigningKey, type TokenChanges, TokenWorld } from "../../auth/token/tokens.ts";
import { credentials, suiteRules, USERS } from "../../support/access-files.ts";
import { EVERYTHING } from "../../support/extent.ts";
import { HTTP_MOUNTS } from "../../support/mounts.ts";
import { type Slapd, startSlapd } from "../../support/slapd.ts";
import type { SuiteTransport } from "../../support/suite-rig.ts";
import { titleOf } from "../../support/verifies.ts";
import { type HttpWorld, httpWorld, type SuiteAuthentication } from "../../support/world.ts";
import { type RequirementId, requirements } from "../requirements.ts";

/** A directory with the users of the suites, whose passwords are those of the user file. */
export function startSuiteDirectory(): Promise<Slapd> {
  const users = Object.keys(USERS);
  return startSlapd({
    entries: tree(...users.map((name) => person(name)), group("staff", ...users.map((name) => dnOf(name)))),
  });
}

/** The mechanism LDAP for the users of the suites. */
export async function openSuiteLdap(slapd: Slapd): Promise<SuiteAuthentication> {
  const rig = await LdapRig.create();
  await rig.writeLdap(ldapDocument([urlOf(slapd)]));
  await rig.writeRules(...suiteRules());
  // Many wrong logins are the point of some tests, and the clock is frozen.
  const { authenticator } = await rig.open({ maxLoginDelayMs: 0 });
  return { authenticator, credentials, close: () => void rig.close() };
}

/** The mechanism PROVIDER for the users of the suites, and any other token of the provider. */
export interface TokenSuite extends SuiteAuthentication {
  readonly provider: TokenWorld;
  bearer(changes: TokenChanges, key?: SigningKey): Promise<string>;
}

/** Opens the mechanism PROVIDER; every user has a token with his permissions as authorities. */
export async function openSuiteTokens(
  key: SigningKey,
  options: Partial<TokenAuthenticationOptions> = {},
): Promise<TokenSuite> {
  const provider = await TokenWorld.start(key);
  const bearer = async (changes: TokenChanges, signedBy?: SigningKey) =>
    `Bearer ${await provider.token(changes, signedBy)}`;
  const tokens = new Map<string, string>();
  for (const [sub, authorities] of Object.entries(USERS)) {
    tokens.set(sub, await bearer({ claims: { sub, authorities } }));
  }
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const { authenticator, close } = await openTokenAuthentication({
    issuerUri: provider.server.origin,
    audiences: [AUDIENCE],
    clock: provider.clock,
    log: quiet,
    ...options,
  });
  return { authenticator, credentials: (user) => tokens.get(user) ?? "Bearer none", close, provider, bearer };
}

/** Who calls is certain before a transport has a part in it. */
const TRANSPORTS: readonly SuiteTransport[] = EVERYTHING ? ["in-process", "websocket", "nats"] : ["in-process"];

/** A mount hands credentials on as they are, whatever the mechanism: two of them show it. */
const MOUNTS = EVERYTHING ? HTTP_MOUNTS : HTTP_MOUNTS.slice(0, 2);

/** Proves a requirement with one mechanism over HTTP mounts. */
export function verifiesMechanism<A extends SuiteAuthentication>(
  id: RequirementId,
  mechanism: string,
  open: () => Promise<A>,
  prove: (world: HttpWorld, authentication: A) => Promise<void>,
): void {
  for (const transport of TRANSPORTS) {
    for (const mount of MOUNTS) {
      const way = titleOf(`${mechanism}, ${mount.name}`, transport);
      it(`${id} [${way}] ${requirements[id].behavior}`, async () => {
        const authentication = await open();
        const world = await httpWorld(mount, { transport, authentication: async () => authentication });
        onTestFinished(() => world.close());
        await prove(world, authentication);
      });
    }
  }
}
