// #region imports
import { principal } from "trading-admin-api";
import type { Authenticator } from "trading-admin-api/extend";
// #endregion

// #region authenticator
/** Users of the host, by the session token that they send. */
export function sessionAuthenticator(sessions: ReadonlyMap<string, string>): Authenticator {
  return {
    authenticate(authorization) {
      const [, token = ""] = /^Bearer (\S+)$/.exec(authorization ?? "") ?? [];
      const user = sessions.get(token);
      if (user === undefined) return { kind: "challenge", challenge: 'Bearer realm="monitor"' };
      return { kind: "principal", principal: principal(user, ["HALT_RESUME_TRADING"]) };
    },
  };
}
// #endregion
