import type { IncomingMessage } from "node:http";

/**
 * What is wrong with the `Host` of a request, in words, or undefined: HTTP/1.1 needs one, and no client may send several, since each
 * server on the way could go by another one (RFC 9112 section 3.2).
 */
export function hostFault({ httpVersion, rawHeaders }: IncomingMessage): string | undefined {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  if (count > 1) return "The header Host is there more than once";
  return count === 0 && httpVersion === "1.1" ? "The header Host is missing" : undefined;
}
