const [QUOTE, BACKSLASH, COMMA, COLON] = Buffer.from('"\\,:');
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = Buffer.from("[]{}");

/** Replies of at least this size are parsed in parts. */
export const LONG_BYTES: number = 64 * 1024;

/** Limits of one reply (decision D-LINK 20): no reply of this contract comes near. */
const REPLY_BOUNDS = {
  depth: 32,
  textBytes: 64 * 1024,
  /** A row of a long list, and all of a long reply that is not its rows: each is parsed in one piece. */
  pieceBytes: 256 * 1024,
  pieceMembers: 8_000,
} as const;

/** Bytes and members of a part that is parsed, and bytes of one that is looked through: a fraction of a millisecond, if they are rows as usual. */
const PART_BYTES = 32 * 1024;
const PART_MEMBERS = 1_500;

/** A reply is beyond {@link REPLY_BOUNDS}; the message continues "a message that". */
export class BeyondBounds extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BeyondBounds";
  }
}

/** A list that is the result or a field of it, and so long that its rows are parsed in parts. */
export interface LongListPlace {
  /** The field of the result that holds the rows, as JSON; undefined when the result is the list itself. */
  readonly field: string | undefined;
  /** Where its bracket opens, the commas at which it may be cut, and where it ends. */
  readonly cuts: readonly number[];
}

/** The list that is being looked through. */
interface OpenList {
  readonly at: number;
  readonly depth: number;
  readonly field: string | undefined;
  readonly cuts: number[];
  /** Members of the reply before it. */
  readonly membersBefore: number;
  /** Where its current row begins, and what {@link ReplyScan} had counted there and at the latest cut. */
  rowAt: number;
  membersAtRow: number;
  membersAtCut: number;
}

/**
 * Looks through the bytes of one reply, outside of texts, without parsing it, a part at a time: how deep it is, how long its texts and its
 * pieces are, where its long list is. Invalid JSON may pass: parsing finds that.
 */
export class ReplyScan {
  readonly message: Buffer;
  readonly #isLong: boolean;
  /** Where it continues. */
  #at = 0;
  #isDone = false;
  #fault: unknown;
  #depth = 0;
  #members = 0;
  /** Bounds of the latest text, and of the latest keys at depths 1 and 2. */
  #text: readonly [number, number] = [0, 0];
  readonly #keys: (readonly [number, number])[] = [];
  #list: OpenList | undefined;
  #found: LongListPlace | undefined;
  /** Bytes and members of the long list. */
  #listBytes = 0;
  #listMembers = 0;

  constructor(message: Buffer) {
    this.message = message;
    this.#isLong = message.length >= LONG_BYTES;
  }

  /** Whether it has been looked through, or is known to be refused. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Looks through the next part. */
  next(): void {
    try {
      this.#passPart();
    } catch (fault) {
      this.#fault = fault;
      this.#isDone = true;
    }
  }

  /**
   * The place of the long list, if there is one; looks through what is left. Throws {@link BeyondBounds}; `SyntaxError` for a long list without
   * an end.
   */
  longList(): LongListPlace | undefined {
    while (!this.#isDone) this.next();
    if (this.#fault !== undefined) throw this.#fault;
    return this.#found;
  }

  #passPart(): void {
    const { length } = this.message;
    let at = this.#at;
    for (const end = at + PART_BYTES; at < length && at < end; at += 1) at = this.#pass(at);
    this.#at = at;
    this.#checkPiece(Math.min(at, length));
    if (at < length) return;
    this.#isDone = true;
    if (this.#list) throw new SyntaxError("The JSON ends within a list");
  }

  /** Passes the token at an offset; returns where it ends. */
  #pass(at: number): number {
    const byte = this.message[at];
    if (byte === QUOTE) return this.#passText(at);
    if (byte === COMMA) this.#comma(at);
    else if (byte === COLON) this.#colon();
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) this.#open(at, byte === OPEN_BRACKET);
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) this.#close(at);
    return at;
  }

  #passText(open: number): number {
    const message = this.message;
    const latest = open + REPLY_BOUNDS.textBytes;
    let at = open + 1;
    while (at < message.length && message[at] !== QUOTE) {
      if (at > latest) throw new BeyondBounds(`has a text of more than ${REPLY_BOUNDS.textBytes} bytes`);
      at += message[at] === BACKSLASH ? 2 : 1;
    }
    if (this.#depth <= 2) this.#text = [open, at + 1];
    return at;
  }

  #colon(): void {
    if (this.#depth <= 2) this.#keys[this.#depth] = this.#text;
  }

  #comma(at: number): void {
    this.#members += 1;
    const list = this.#list;
    if (list && this.#depth === list.depth) this.#endRow(list, at);
  }

  #endRow(list: OpenList, at: number): void {
    this.#checkPiece(at);
    list.rowAt = at;
    list.membersAtRow = this.#members;
    const from = list.cuts.at(-1) ?? list.at;
    if (at - from < PART_BYTES && this.#members - list.membersAtCut < PART_MEMBERS) return;
    list.cuts.push(at);
    list.membersAtCut = this.#members;
  }

  #open(at: number, isList: boolean): void {
    this.#members += 1;
    this.#depth += 1;
    if (this.#depth > REPLY_BOUNDS.depth) {
      throw new BeyondBounds(`is nested more than ${REPLY_BOUNDS.depth} deep`);
    }
    if (isList && this.#isLong && !this.#list && !this.#found && this.#depth <= 3) this.#openList(at);
  }

  #openList(at: number): void {
    if (this.#key(1) !== '"result"') return;
    const field = this.#depth === 3 ? this.#key(2) : undefined;
    const [depth, members] = [this.#depth, this.#members];
    const counts = { membersBefore: members, membersAtRow: members, membersAtCut: members };
    this.#list = { at, depth, field, cuts: [at], rowAt: at, ...counts };
  }

  #key(depth: number): string {
    const [from, to] = this.#keys[depth] ?? [0, 0];
    return this.message.toString("utf8", from, to);
  }

  #close(at: number): void {
    this.#depth -= 1;
    const list = this.#list;
    if (!list || this.#depth >= list.depth) return;
    this.#checkPiece(at);
    this.#list = undefined;
    if (at - list.at < PART_BYTES) return;
    this.#found = { field: list.field, cuts: [...list.cuts, at] };
    this.#listBytes = at - list.at;
    this.#listMembers = this.#members - list.membersBefore;
  }

  /** Checks the piece that `at` belongs to: a row of a list, or what is not of the list. */
  #checkPiece(at: number): void {
    if (!this.#isLong) return;
    const list = this.#list;
    const bytes = list ? at - list.rowAt : at - this.#listBytes;
    const members = this.#members - (list ? list.membersAtRow : this.#listMembers);
    const what = list ? "a row" : "besides the rows of a list";
    const { pieceBytes, pieceMembers } = REPLY_BOUNDS;
    if (bytes > pieceBytes) throw new BeyondBounds(`has ${what} more than ${pieceBytes} bytes`);
    if (members > pieceMembers) throw new BeyondBounds(`has ${what} more than ${pieceMembers} members`);
  }
}
