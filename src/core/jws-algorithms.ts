/**
 * Accepted signature algorithms of tokens (RFC 7518, RFC 8037): only asymmetric ones, since a symmetric key would let every verifier
 * forge tokens.
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
