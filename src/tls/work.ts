/** A password is asked to be hashed more often than any tool does. The message is for the operator. */
export class ExcessiveWorkError extends Error {
  override readonly name = "ExcessiveWorkError";
}

/** Some ten seconds of a processor. Tools that are in use write 2,048 to 1,000,000. */
const MAX_ROUNDS = 10_000_000n;

const INTEGER = 0x02;
const CONSTRUCTED = 0x20;

/**
 * Checks how often an algorithm, in DER or BER, has a password hashed: a file must not be able to ask for days. Schemes write that in different
 * places, so no number may be above the limit; the others, such as lengths, are small.
 *
 * @throws ExcessiveWorkError
 */
export function checkWork(algorithm: Buffer): void {
  for (let at = 0; at + 2 <= algorithm.length; ) {
    const { tag, start, end } = elementAt(algorithm, at);
    const content = algorithm.subarray(start, end);
    if (tag & CONSTRUCTED) checkWork(content);
    else if (tag === INTEGER && content.length > 0) checkNumber(BigInt(`0x${content.toString("hex")}`));
    at = end;
  }
}

function checkNumber(number: bigint): void {
  if (number <= MAX_ROUNDS) return;
  throw new ExcessiveWorkError(
    `its password is hashed ${number} times, and ${MAX_ROUNDS} is the most; encrypt it anew with fewer iterations`,
  );
}

/** An element without a length (BER) has all that follows; what is in it is walked through all the same. */
function elementAt(bytes: Buffer, at: number): { readonly tag: number; readonly start: number; readonly end: number } {
  const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
  const octets = first & 0x7f;
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first };
  const start = Math.min(at + 2 + octets, bytes.length);
  if (octets === 0 || octets > 6 || start < at + 2 + octets) return { tag, start, end: bytes.length };
  return { tag, start, end: start + bytes.readUIntBE(at + 2, octets) };
}
