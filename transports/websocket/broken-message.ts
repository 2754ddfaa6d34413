/** How far into a message its id is looked for. */
const HEAD_BYTES = 300;
const TAIL_BYTES = 40;

/** The id as the first member of the message, or as the second after the version; nested ones must not be taken for it. */
const ID_AT_HEAD = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"[^"]{0,9}"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/;
const ID_AT_TAIL = /,\s*"id"\s*:\s*(\d{1,15})\s*\}\s*$/;

/** The id of a message that is too long to be parsed, or not JSON at all, where it can be read nevertheless. */
export function salvageId(message: Buffer): number | undefined {
  const match = ID_AT_HEAD.exec(message.toString("latin1", 0, HEAD_BYTES));
  return match ? Number(match[1]) : undefined;
}

/** The same for a message that is only too long, whose end is therefore the end of its outermost object. */
export function salvageIdOfLong(message: Buffer): number | undefined {
  const atHead = salvageId(message);
  if (atHead !== undefined) return atHead;
  const match = ID_AT_TAIL.exec(message.toString("latin1", Math.max(0, message.length - TAIL_BYTES)));
  return match ? Number(match[1]) : undefined;
}
