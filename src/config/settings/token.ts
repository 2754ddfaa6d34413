import { JWS_ALGORITHMS } from "../../core/conventions.ts";
import { optional, setting } from "../setting.ts";
import { anyText, byName, choices, listOf, webAddress } from "../values.ts";

/** Validation of tokens, in the spelling of a Spring resource server (specification, "Authentication" 4). */
export const tokenSettings = {
  "spring.security.oauth2.resourceserver.jwt.issuer-uri": optional(
    webAddress(),
    "Issuer that tokens must name; the address of its keys is discovered unless `jwk-set-uri` is set. If neither is set, " +
      "those of the login provider are used.",
  ),
  "spring.security.oauth2.resourceserver.jwt.jwk-set-uri": optional(
    webAddress(),
    "Where the provider's keys are; without `issuer-uri` the issuer of tokens is not checked.",
  ),
  "spring.security.oauth2.resourceserver.jwt.audiences": setting(
    listOf("audiences", /./),
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
    byName(webAddress()),
    "Issuer of the login provider with this name; used when `security.oauth2.provider.name` names it.",
  ),
  "spring.security.oauth2.client.provider.*.jwk-set-uri": optional(
    byName(webAddress()),
    "Where the keys of the login provider with this name are.",
  ),
};
