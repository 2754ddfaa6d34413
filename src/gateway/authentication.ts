import { type Authenticator, closedAuthenticator } from "../auth/authenticator.ts";
import { openLdapAuthentication } from "../auth/ldap/ldap-authentication.ts";
import { type KnownUser, nameKey } from "../auth/names.ts";
import { openSimpleAuthentication, type SimpleAuthenticationOptions } from "../auth/simple.ts";
import type { SharedLoginFailures } from "../auth/throttle/login-delays.ts";
import type { KeySetState } from "../auth/token/key-cache.ts";
import { openTokenAuthentication, type TokenAuthentication } from "../auth/token/token-authentication.ts";
import { ConfigurationError } from "../config/configuration-error.ts";
import { authenticationMechanism, describeMechanism, type ProviderAddresses } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import type { Logger } from "../core/logger.ts";
import type { Permission } from "../core/principal.ts";
import { textOfSetting } from "./from-settings.ts";

export interface GatewayAuthentication {
  readonly authenticator: Authenticator;
  /** One line about the mechanism, for the operator. */
  readonly description: string;
  /** Users who may log in, where they are known. */
  readonly users: readonly KnownUser[];
  /** Current permissions of a user; undefined for one who may not log in. Absent where only credentials tell, as with tokens. */
  readonly permissionsOf?: (user: string) => ReadonlySet<Permission> | undefined;
  /** How old the keys of an identity provider are, with tokens only. */
  readonly keySet?: () => KeySetState;
  close(): void;
}

interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  /** Wrong passwords at other gateways, where they can be heard. */
  readonly sharedFailures: SharedLoginFailures | undefined;
}

/** Sets authentication up. Throws when access files are broken or the mechanism is not available. */
export async function openAuthentication(
  settings: Settings,
  { environment, log, sharedFailures }: Surroundings,
): Promise<GatewayAuthentication> {
  const mechanism = authenticationMechanism(settings);
  const directory = settings["security.uac.directory"];
  const maxLoginDelayMs = settings["security.uac.max-login-delay"];
  const description = describeMechanism(mechanism, directory);
  const noUsers = { description, users: [] };
  switch (mechanism.kind) {
    case "closed":
      log.error(mechanism.reason);
      return { ...noUsers, authenticator: closedAuthenticator(mechanism.reason), close: () => {} };
    case "token":
      return { ...noUsers, ...(await openTokens(settings, mechanism.provider, log)) };
    case "basic":
      if (mechanism.directory === "ldap") {
        return { ...noUsers, ...(await openLdap(settings, log, sharedFailures)) };
      }
      return openSimple({ directory, environment, log, maxLoginDelayMs, sharedFailures }, description);
  }
}

async function openSimple(options: SimpleAuthenticationOptions, description: string): Promise<GatewayAuthentication> {
  const { authenticator, users, close } = await openSimpleAuthentication(options);
  return { authenticator, description, users: users(), permissionsOf: permissionsAmong(users), close };
}

function permissionsAmong(users: () => readonly KnownUser[]): NonNullable<GatewayAuthentication["permissionsOf"]> {
  return (user) => users().find(({ name }) => nameKey(name) === nameKey(user))?.permissions;
}

async function openLdap(
  settings: Settings,
  log: Logger,
  sharedFailures: SharedLoginFailures | undefined,
): Promise<Pick<GatewayAuthentication, "authenticator" | "permissionsOf" | "close">> {
  const ca = await textOfSetting(settings, "security.uac.ldap.ca");
  const { authenticator, users, close } = await openLdapAuthentication({
    directory: settings["security.uac.directory"],
    log,
    reloadIntervalMs: settings["security.uac.ldap.reload-interval"],
    timeoutMs: settings["security.uac.ldap.timeout"],
    maxLoginDelayMs: settings["security.uac.max-login-delay"],
    stopLifetimeMs: settings["security.uac.ldap.stop-lifetime"],
    sharedFailures,
    ...(ca !== undefined && { tls: { ca } }),
  });
  return { authenticator, permissionsOf: permissionsAmong(users), close };
}

async function openTokens(settings: Settings, provider: ProviderAddresses, log: Logger): Promise<TokenAuthentication> {
  const jwt = "spring.security.oauth2.resourceserver.jwt";
  const audiences = settings[`${jwt}.audiences`];
  try {
    return await openTokenAuthentication({
      ...provider,
      audiences: audiences.length > 0 ? audiences : undefined,
      algorithms: settings[`${jwt}.jws-algorithms`],
      principalClaim: settings[`${jwt}.principal-claim-name`],
      authoritiesClaim: settings["security.oauth2.provider.authoritiesClaim"],
      authorityMapping: settings["security.oauth2.provider.authorityMapping.*"],
      clockSkewMs: settings["security.oauth2.provider.clock-skew"],
      keyLifetimeMs: settings["security.oauth2.provider.key-lifetime"],
      log,
    });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ConfigurationError(`the settings for tokens of an identity provider: ${cause.message}`, { cause });
  }
}
