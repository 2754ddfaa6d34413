/**
 * Algorithms with which tokens may be signed (RFC 7518, RFC 8037): asymmetric ones only, since with a symmetric one anyone who
 * checks tokens could make them.
 */
export const JWS_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;
