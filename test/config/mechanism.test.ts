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

function noValidation(setting: string) {
  return {
    kind: "closed",
    reason: `The API is closed: ${setting}, so tokens of an identity provider are expected, but no JWT validation is configured: this version has no settings for it`,
  };
}

const NAMED = noValidation('security.oauth2.provider.name is "keycloak"');
const BY_TYPE = noValidation("security.oauth2.authenticationType is PROVIDER");

describe("Authentication 2, 3; D-HTTP 9; D-AUTH 1: the mechanism follows from type and provider name", () => {
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
  ])("authenticationType %s, provider.name %s", (type, provider, expected) => {
    expect(mechanism(type, provider)).toEqual(expected);
  });
});
