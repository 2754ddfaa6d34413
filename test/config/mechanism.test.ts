import { describe, expect, test } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { authenticationMechanism } from "../../src/config/mechanism.ts";

function mechanism(type: string, provider: string) {
  const text = `security.oauth2: { authenticationType: ${type}, provider.name: ${provider} }`;
  return authenticationMechanism(parseSettings(text, "application.yaml"));
}

const FILE = { kind: "basic", directory: "file" };
const LDAP = { kind: "basic", directory: "ldap" };
const NO_AUTHENTICATION = {
  kind: "closed",
  reason:
    "The API is closed: security.oauth2.authenticationType is NONE, and the API refuses to run without authentication",
};

const JWT = "spring.security.oauth2.resourceserver.jwt";

function noValidation(setting: string, also = "") {
  return {
    kind: "closed",
    reason: `The API is closed: ${setting}, so tokens of an identity provider are expected, but no JWT validation is configured: set ${JWT}.issuer-uri${also}`,
  };
}

const NAMED = noValidation(
  'security.oauth2.provider.name is "keycloak"',
  " or spring.security.oauth2.client.provider.keycloak.issuer-uri",
);
const BY_TYPE = noValidation("security.oauth2.authenticationType is PROVIDER");

describe("Authentication 2, 3; D-HTTP 9, D-AUTH 1, D-AUTH 5: the mechanism follows from type and provider name", () => {
  test.each([
    ["null", "null", FILE],
    ["SIMPLE", "null", FILE],
    ["LDAP", "null", LDAP],
    ["PROVIDER", "null", BY_TYPE],
    ["NONE", "null", NO_AUTHENTICATION],
    ["null", "keycloak", NAMED],
    ["SIMPLE", "keycloak", NAMED],
    ["LDAP", "keycloak", NAMED],
    ["PROVIDER", "keycloak", NAMED],
    ["NONE", "keycloak", NO_AUTHENTICATION],
  ])("from authenticationType %s and provider.name %s", (type, provider, expected) => {
    expect(mechanism(type, provider)).toEqual(expected);
  });
});

describe("Authentication 4: where the keys and the issuer come from", () => {
  const LOGIN = "spring.security.oauth2.client.provider";
  const ISSUER = "https://login.example/desk";
  const OTHER = "https://other.example/desk";

  function provider(...lines: readonly string[]) {
    const mechanism = authenticationMechanism(parseSettings(lines.join("\n"), "application.yaml"));
    return mechanism.kind === "token" ? mechanism.provider : mechanism.kind;
  }

  const PROVIDER = "security.oauth2.authenticationType: PROVIDER";
  const KEYCLOAK = "security.oauth2.provider.name: keycloak";

  test.each([
    ["explicit issuer", [PROVIDER, `${JWT}.issuer-uri: ${ISSUER}`], ISSUER, undefined],
    ["explicit key set", [PROVIDER, `${JWT}.jwk-set-uri: ${ISSUER}`], undefined, ISSUER],
    ["both", [KEYCLOAK, `${JWT}: {issuer-uri: "${ISSUER}", jwk-set-uri: "${OTHER}"}`], ISSUER, OTHER],
    ["the login provider's issuer", [KEYCLOAK, `${LOGIN}.keycloak.issuer-uri: ${ISSUER}`], ISSUER, undefined],
    ["the login provider's key set", [KEYCLOAK, `${LOGIN}.keycloak.jwkSetUri: ${ISSUER}`], undefined, ISSUER],
    [
      "the one that is named, of several",
      [KEYCLOAK, `${LOGIN}: { okta: { issuer-uri: "${OTHER}" }, keycloak: { issuer-uri: "${ISSUER}" } }`],
      ISSUER,
      undefined,
    ],
    [
      "D-AUTH 7: explicit goes before login, as a whole",
      [KEYCLOAK, `${LOGIN}.keycloak.issuer-uri: ${OTHER}`, `${JWT}.jwk-set-uri: ${ISSUER}`],
      undefined,
      ISSUER,
    ],
  ])("is as configured: %s", (_, lines, issuerUri, jwkSetUri) => {
    expect(provider(...lines)).toEqual({ issuerUri, jwkSetUri });
  });

  test.each([
    ["audiences alone do not validate", [PROVIDER, `${JWT}.audiences: desk`], "closed"],
    ["another provider's issuer is not used", [KEYCLOAK, `${LOGIN}.okta.issuer-uri: ${ISSUER}`], "closed"],
    ["nor one whose name is spelled otherwise", [KEYCLOAK, `${LOGIN}.Keycloak.issuer-uri: ${ISSUER}`], "closed"],
    ["nor any without a name", [PROVIDER, `${LOGIN}.keycloak.issuer-uri: ${ISSUER}`], "closed"],
    [
      "D-AUTH 5: NONE closes the API all the same",
      ["security.oauth2.authenticationType: NONE", `${JWT}.issuer-uri: ${ISSUER}`],
      "closed",
    ],
    ["without a provider SIMPLE stays SIMPLE", [`${JWT}.issuer-uri: ${ISSUER}`], "basic"],
  ])("is refused: %s", (_, lines, kind) => {
    expect(provider(...lines)).toBe(kind);
  });
});
