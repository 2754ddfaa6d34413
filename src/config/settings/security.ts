import { JWS_ALGORITHMS } from "../../core/conventions.ts";
import { PERMISSIONS } from "../../core/principal.ts";
import { duration } from "../quantities.ts";
import { optional, setting } from "../setting.ts";
import { anyText, byName, choice, choices, listOf, path, restricting, webAddress } from "../values.ts";

/** The monitor's own security settings (specification, "Authentication" 2; decisions D-AUTH). */
export const securitySettings = {
  "security.oauth2.authenticationType": optional(
    choice("NONE", "SIMPLE", "LDAP", "PROVIDER"),
    "How callers prove who they are: `SIMPLE` by the user file `uac-file-security.xml`, `LDAP` by the directory in " +
      "`uac-ldap-security.xml`, `PROVIDER` by tokens of an identity provider; `NONE` closes the API. If it is not set: " +
      "`PROVIDER` when `security.oauth2.provider.name` is set, else `SIMPLE`.",
  ),
  "security.oauth2.provider.name": optional(
    anyText(),
    "Name of the identity provider whose tokens are expected; then `SIMPLE` and `LDAP` do not apply.",
  ),
  "security.oauth2.provider.authoritiesClaim": setting(
    anyText(),
    "authorities",
    "Claim of a token that holds the caller's roles, an array or a text with blanks: a path such as `realm_access.roles` or " +
      '`resource_access["my.client"].roles`.',
  ),
  "security.oauth2.provider.authorityMapping.*": optional(
    restricting(byName(choices(...PERMISSIONS))),
    "Permissions that the role with this name stands for. A role without an entry is the permission of exactly its name, or " +
      "grants nothing.",
  ),
  "security.oauth2.provider.clock-skew": setting(
    duration("0s", "10m"),
    "60s",
    "How far the clocks of identity provider and gateway may be apart.",
  ),
  "security.oauth2.provider.key-lifetime": setting(
    duration("1m", "168h"),
    "12h",
    "How long the provider's known keys stay valid while it is unreachable; after that tokens can no longer be checked.",
  ),
  "security.uac.directory": setting(path(), ".", "Folder of the access files `uac-*.xml`."),
  "security.uac.max-login-delay": setting(
    duration("0s", "60s"),
    "5s",
    "Longest time that a login is held back after failed logins of the same user from the same address; other users at that address " +
      "wait half of it at most, and the user at other addresses a twentieth. `0s` slows nothing, for gateways that see the " +
      "address of a proxy in place of the caller's.",
  ),
  "security.uac.ldap.ca": optional(
    path(),
    "PEM file of the certificate authorities trusted for the servers of `uac-ldap-security.xml`; those known to Node.js unless it is set.",
  ),
  "security.uac.ldap.reload-interval": setting(
    duration("1s", "24h"),
    "60s",
    "Time between two readings of users and groups from the LDAP directory.",
  ),
  "security.uac.ldap.stop-lifetime": setting(
    duration("0s", "168h"),
    "12h",
    "How long credentials that the LDAP directory has accepted still authorise stops (halt, disable, disconnect) while it is unreachable. " +
      "Everything else is refused until then. `0s` refuses stops too.",
  ),
  "security.uac.ldap.timeout": setting(
    duration("100ms", "60s"),
    "5s",
    "How long one step of a conversation with an LDAP server may take, before the next server is tried.",
  ),
};

/** Validation of tokens, in the spelling of a Spring resource server (specification, "Authentication" 4). */
export const tokenSettings = {
  "spring.security.oauth2.resourceserver.jwt.issuer-uri": optional(
    restricting(webAddress()),
    "Issuer that tokens must name; the address of its keys is discovered unless `jwk-set-uri` is set. If neither is set, " +
      "those of the login provider are used.",
  ),
  "spring.security.oauth2.resourceserver.jwt.jwk-set-uri": optional(
    webAddress(),
    "Where the provider's keys are; without `issuer-uri` the issuer of tokens is not checked.",
  ),
  "spring.security.oauth2.resourceserver.jwt.audiences": setting(
    restricting(listOf("audiences", /./)),
    "",
    "A token must be for one of these audiences; it is not checked unless this is set.",
  ),
  "spring.security.oauth2.resourceserver.jwt.jws-algorithms": setting(
    choices(...JWS_ALGORITHMS),
    "RS256",
    "Algorithms with which tokens may be signed.",
  ),
  "spring.security.oauth2.resourceserver.jwt.principal-claim-name": setting(
    anyText(),
    "sub",
    "Claim of a token that holds the caller's name.",
  ),
  "spring.security.oauth2.client.provider.*.issuer-uri": optional(
    restricting(byName(webAddress())),
    "Issuer of the login provider with this name; used when `security.oauth2.provider.name` names it.",
  ),
  "spring.security.oauth2.client.provider.*.jwk-set-uri": optional(
    byName(webAddress()),
    "Where the keys of the login provider with this name are.",
  ),
};
