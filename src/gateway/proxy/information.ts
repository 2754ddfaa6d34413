import type { InformationEvent, ServerResponse } from "node:http";

/** One of the links that a header `Link` lists (RFC 8288 section 3). */
const LINK = /<[^>]*>[^,"]*(?:"[^"]*"[^,"]*)*/g;

/**
 * Hands on what the monitor says before its response (RFC 9110 section 15.2), as far as Node can say it: 102, and the links of
 * 103. Nothing of it is needed to understand the response.
 */
export function handInformation({ statusCode, rawHeaders }: InformationEvent, response: ServerResponse): void {
  // HTTP/1.0 has no such responses.
  if (response.req.httpVersion === "1.0") return;
  if (statusCode === 102) response.writeProcessing();
  else if (statusCode === 103) hint(rawHeaders, response);
}

function hint(rawHeaders: readonly string[], response: ServerResponse): void {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === "link");
  const links = values.flatMap((value) => value.match(LINK) ?? []);
  try {
    response.writeEarlyHints({ link: links.map((link) => link.trim()) });
  } catch {
    // A hint that Node does not take as one; the response itself says all.
  }
}
