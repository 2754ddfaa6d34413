import type { Authenticator } from "../auth/authenticator.ts";
import { closedAuthenticator } from "../auth/closed.ts";
import { type KnownUser, openSimpleAuthentication } from "../auth/simple.ts";
import { ConfigurationError } from "../config/configuration-error.ts";
import { authenticationMechanism } from "../config/mechanism.ts";
import type { Settings } from "../config/settings.ts";
import type { Log } from "./monitor-log.ts";

/** The authentication that the settings ask for. */
export interface GatewayAuthentication {
  readonly authenticator: Authenticator;
  /** One line about the mechanism, for the operator. */
  readonly description: string;
  /** Who may log in, where that is known. */
  readonly users: readonly KnownUser[];
  close(): void;
}

/** Sets authentication up. Throws when access files are broken or the mechanism is not available. */
export async function openAuthentication(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  log: Log,
): Promise<GatewayAuthentication> {
  const mechanism = authenticationMechanism(settings);
  if (mechanism.kind === "closed") {
    log.error(mechanism.reason);
    return {
      authenticator: closedAuthenticator(mechanism.reason),
      description: mechanism.reason,
      users: [],
      close: () => {},
    };
  }
  if (mechanism.directory === "ldap") {
    throw new ConfigurationError(
      "security.oauth2.authenticationType: LDAP is not available in this version; use SIMPLE with uac-file-security.xml",
    );
  }
  const directory = settings["security.uac.directory"];
  const simple = await openSimpleAuthentication({ directory, environment, log });
  return {
    authenticator: simple.authenticator,
    description: `SIMPLE: HTTP Basic against the access files in ${directory}`,
    users: simple.users(),
    close: () => simple.close(),
  };
}
