import { assemble, under } from "./requirement.ts";

const authentication = under("Authentication", {
  "AUTH-OWN-CHAIN": {
    source: ["The API has its own security chain, independent of the monitor's user-interface session."],
    behavior: "what the host lets in does not count: without credentials of its own a request gets 401",
  },
  "AUTH-EVERY-REQUEST": {
    source: ["It uses no cookies and no sessions: every request carries credentials."],
    behavior: "no response sets a cookie, and a request after a good one needs credentials again",
  },
  "AUTH-MECHANISM": {
    source: ["The mechanism follows the monitor's security settings:"],
    behavior: "the same credentials are taken or refused as security.oauth2.authenticationType says",
  },
  "AUTH-IMAGE-AND-CHART": {
    source: ["The container image and deployment chart of the web gateway default to `authenticationType: SIMPLE`."],
    behavior: "the settings of the image and the values of the chart say SIMPLE, and the gateway reads them so",
  },
  "AUTH-SIMPLE": {
    source: [
      "| `authenticationType` is `SIMPLE`",
      "and no provider is named | HTTP Basic against the user directory (`uac-file-security.xml` for SIMPLE,",
      "header `Authorization: Basic <base64(user:password)>` |",
    ],
    behavior: "SIMPLE takes Basic credentials of a user in uac-file-security.xml, unless a provider is named",
  },
  "AUTH-LDAP": {
    source: ["or `LDAP`", "`uac-ldap-security.xml` for LDAP):"],
    behavior: "LDAP takes Basic credentials of a user in the directory of uac-ldap-security.xml, for all operations",
  },
  "AUTH-PROVIDER": {
    source: [
      "| `security.oauth2.provider.name` is set, or `security.oauth2.authenticationType` is `PROVIDER` | Bearer JWT from an identity provider: header `Authorization: Bearer <ACCESS_TOKEN>` |",
    ],
    behavior: "PROVIDER, or a named provider, takes bearer tokens of the identity provider, for all operations",
  },
  "AUTH-TOKEN-VALIDATION": {
    source: [
      "Tokens are validated as by an OAuth 2.0 resource server: signature, expiry, issuer, and audience when configured.",
    ],
    behavior: "a token with a wrong signature, issuer or audience, or that has expired, is refused by all operations",
  },
  "AUTH-TOKEN-LOGIN-PROVIDER": {
    source: ["When the monitor's login provider is configured, its `issuer-uri` (or `jwk-set-uri`) is reused."],
    behavior: "tokens of the login provider are taken without settings of a resource server",
  },
  "AUTH-TOKEN-EXPLICIT": {
    source: [
      "To validate explicitly, or when the issuer differs from the address the engine uses to reach the provider, set the resource-server JWT settings under the key prefix `<framework>.security.oauth2.resourceserver.jwt`: `issuer-uri`, `audiences` (optional; tokens issued for other audiences are rejected), `jwk-set-uri`.",
    ],
    behavior: "explicit settings go before the login provider's; keys may be elsewhere than the issuer",
  },
  "AUTH-NONE": {
    source: ["| `authenticationType` is `NONE` | API is closed: every request is rejected |"],
    behavior: "NONE rejects all operations, credentials or not",
  },
  "AUTH-REFUSES-OPEN": {
    source: ["The API refuses to run without authentication."],
    behavior: "without a mechanism the API is closed and says so in the log; without access files it does not start",
  },
  "AUTH-NO-JWT-VALIDATION": {
    source: ["It is also closed when a token provider is expected but no JWT validation is configured."],
    behavior: "PROVIDER without JWT settings rejects all operations, credentials or not",
  },
  "AUTH-REMOVED-SETTINGS": {
    source: [
      "The settings `security.oauth2.provider.audience` and `security.oauth2.provider.validateIssuer` are no longer supported; the resource-server `audiences` and `issuer-uri` replace them.",
    ],
    behavior: "each of the two settings is refused, and the message names what replaces it",
  },
});

const authorization = under("Authorization", {
  "PERM-OPEN-READS": {
    source: ["All GET requests and `POST /positions` are open to any authenticated user."],
    behavior: "a user without permissions may call all GET operations and POST /positions",
  },
  "PERM-NEEDED": {
    source: [
      "Every other operation needs a permission; a user without it gets 403, and the message names the permission.",
    ],
    behavior: "each other operation answers 403 and names its permission to a user with the four others",
  },
  "PERM-HALT-RESUME": {
    source: ["| HALT_RESUME_TRADING | halt and resume trading |"],
    behavior: "HALT_RESUME_TRADING allows halt and resume and nothing else",
  },
  "PERM-RISK": {
    source: ["| CHANGE_RISK_LIMITS | update risk tables |"],
    behavior: "CHANGE_RISK_LIMITS allows updates of risk tables and nothing else",
  },
  "PERM-POSITIONS": {
    source: ["| POSITION_ADJUSTMENT | adjust positions |"],
    behavior: "POSITION_ADJUSTMENT allows adjustments of positions and nothing else",
  },
  "PERM-SERVICES": {
    source: ["| ENABLE_DISABLE_SERVICE | enable and disable services |"],
    behavior: "ENABLE_DISABLE_SERVICE allows to enable and disable services and nothing else",
  },
  "PERM-FIX": {
    source: ["| CONTROL_FIX_SESSION | enable, disable, disconnect FIX sessions |"],
    behavior: "CONTROL_FIX_SESSION allows the three session operations and nothing else",
  },
  "PERM-ACCESS-RULES": {
    source: ["With `SIMPLE`", "permissions are defined in `uac-access-rules.xml`."],
    behavior: "with SIMPLE a user has the permissions that uac-access-rules.xml gives him",
  },
  "PERM-LDAP-RULES": {
    source: ["or `LDAP`,"],
    behavior: "with LDAP a user has the permissions that uac-access-rules.xml gives him, for all operations",
  },
  "PERM-TOKEN": {
    source: [
      "With `PROVIDER` authentication, permissions come from the token's authorities; the authority name equals the permission name exactly.",
    ],
    behavior: "with PROVIDER a caller has the permissions that his token names exactly, for all operations",
  },
  "PERM-TOKEN-MAPPING": {
    source: [
      "The settings `authoritiesClaim` and `authorityMapping` map provider roles to permissions (their defaults: not shown).",
    ],
    behavior: "roles of another claim stand for the permissions that authorityMapping says",
  },
});

/** Authentication and authorization. */
export const access = assemble(authentication, authorization);
