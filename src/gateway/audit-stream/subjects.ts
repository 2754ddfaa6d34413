const PREFIX = "audit.";

/** What a stream of audit records takes in: one subject for each gateway. */
export const ALL_SUBJECTS = `${PREFIX}*`;

/** The subject of a gateway's records: `audit.gw-1`; everything but letters, digits, `-` and `_` in its name is percent-encoded. */
export function streamSubject(gateway: string): string {
  return PREFIX + tokenOf(gateway);
}

/** Name of the gateway whose records have a subject. */
export function gatewayOf(subject: string): string {
  const token = subject.slice(PREFIX.length);
  try {
    return decodeURIComponent(token);
  } catch {
    // Somebody else's subject.
    return token;
  }
}

/** The id by which JetStream knows a record that is sent again. */
export function messageId(gateway: string, seq: number): string {
  return `${tokenOf(gateway)}-${seq}`;
}

function tokenOf(name: string): string {
  const escaped = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  // Without lone surrogates, which have no encoding.
  return encodeURIComponent(Buffer.from(name).toString()).replace(/[.!~*'()]/g, escaped);
}
