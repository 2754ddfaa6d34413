/** A search filter as it is sent: a BER element (RFC 4511 section 4.5.1.7). */
export interface EncodedFilter {
  readonly tag: number;
  readonly content: Buffer;
}

/**
 * Encodes a filter in its text form (RFC 4515, with `(&)` and `(|)` of RFC 4526). An escaped octet stays the octet that it is. As with
 * OpenLDAP, the outer parentheses may be missing, and blanks may stand between filters and behind a parenthesis that opens; in a value they count.
 *
 * @throws SyntaxError that says what is wrong, and where.
 */
export function encodeFilter(text: string): EncodedFilter {
  const trimmed = text.trim();
  return new FilterReader(trimmed.startsWith("(") ? trimmed : `(${trimmed})`).read();
}

const [AND, OR, NOT] = [0xa0, 0xa1, 0xa2];
const [EQUAL, SUBSTRINGS, GREATER_OR_EQUAL, LESS_OR_EQUAL, PRESENT, APPROXIMATE, EXTENSIBLE] = [
  0xa3, 0xa4, 0xa5, 0xa6, 0x87, 0xa8, 0xa9,
];
const [INITIAL, ANY, FINAL] = [0x80, 0x81, 0x82];
const [RULE, TYPE, VALUE, DN_ATTRIBUTES] = [0x81, 0x82, 0x83, 0x84];
const OCTET_STRING = 0x04;
const SEQUENCE = 0x30;

/** Servers refuse filters that are nested deeper; no useful filter is. */
const MAX_DEPTH = 100;

/** RFC 4512 section 2.5: a name or a numeric OID, with options; `_` is not in it, but in names of some servers. */
const ATTRIBUTE = /^(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)(?:;[A-Za-z0-9-]+)*$/;
const MATCHING_RULE = /^(?:[A-Za-z][\w-]*|\d+(?:\.\d+)+)$/;
const COMPARISON = /^([^=<>~:]*)(=|<=|>=|~=)(.*)$/s;
const EXTENDED = /^([^=:]*)(:dn)?(?::([^=:]+))?:=(.*)$/is;

class FilterReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): EncodedFilter {
    const filter = this.#filter();
    if (this.#at < this.#text.length) this.#refuse("something follows the filter");
    return filter;
  }

  #filter(): EncodedFilter {
    this.#take("(");
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
    this.#skipBlanks();
    const filter = this.#component();
    this.#take(")");
    this.#depth -= 1;
    return filter;
  }

  #component(): EncodedFilter {
    const operator = this.#text[this.#at];
    if (operator === "&") return element(AND, ...this.#list());
    if (operator === "|") return element(OR, ...this.#list());
    if (operator !== "!") return this.#item();
    const [only, ...others] = this.#list();
    if (!only || others.length > 0) this.#refuse("`!` needs exactly one filter");
    return element(NOT, only);
  }

  #list(): Buffer[] {
    const filters: Buffer[] = [];
    this.#at += 1;
    this.#skipBlanks();
    while (this.#text[this.#at] === "(") {
      filters.push(encoded(this.#filter()));
      this.#skipBlanks();
    }
    return filters;
  }

  /** Parentheses in values are escaped, so the next one ends the item. */
  #item(): EncodedFilter {
    const end = /[()]/g;
    end.lastIndex = this.#at;
    const text = this.#text.slice(this.#at, end.exec(this.#text)?.index);
    const [, attribute, operator, value] = COMPARISON.exec(text) ?? [];
    const filter =
      operator === undefined ? this.#extended(text) : this.#comparison(attribute ?? "", operator, value ?? "");
    this.#at += text.length;
    return filter;
  }

  #comparison(attribute: string, operator: string, value: string): EncodedFilter {
    if (!ATTRIBUTE.test(attribute)) this.#refuse(`${JSON.stringify(attribute)} is not the name of an attribute`);
    const type = part(OCTET_STRING, Buffer.from(attribute));
    if (operator === "=" && value === "*") return { tag: PRESENT, content: Buffer.from(attribute) };
    if (operator === "=" && value.includes("*")) return element(SUBSTRINGS, type, this.#substrings(value.split("*")));
    const tag = { "=": EQUAL, ">=": GREATER_OR_EQUAL, "<=": LESS_OR_EQUAL }[operator] ?? APPROXIMATE;
    return element(tag, type, part(OCTET_STRING, this.#octets(value)));
  }

  #substrings(parts: readonly string[]): Buffer {
    const [last, encodedParts] = [parts.length - 1, [] as Buffer[]];
    for (const [index, text] of parts.entries()) {
      const isEnd = index === 0 || index === last;
      if (text === "" && !isEnd) this.#refuse("two `*` stand side by side");
      if (text !== "")
        encodedParts.push(part(index === 0 ? INITIAL : index === last ? FINAL : ANY, this.#octets(text)));
    }
    return part(SEQUENCE, ...encodedParts);
  }

  #extended(text: string): EncodedFilter {
    const [, attribute, dn, rule, value] = EXTENDED.exec(text) ?? [];
    if (attribute === undefined || value === undefined || (attribute === "" && rule === undefined)) {
      this.#refuse(`${JSON.stringify(text)} is not a comparison, such as (cn=desk)`);
    }
    if (attribute !== "" && !ATTRIBUTE.test(attribute))
      this.#refuse(`${JSON.stringify(attribute)} is not the name of an attribute`);
    if (rule !== undefined && !MATCHING_RULE.test(rule)) this.#refuse(`${JSON.stringify(rule)} is not a matching rule`);
    return element(
      EXTENSIBLE,
      ...(rule === undefined ? [] : [part(RULE, Buffer.from(rule))]),
      ...(attribute === "" ? [] : [part(TYPE, Buffer.from(attribute))]),
      part(VALUE, this.#octets(value)),
      ...(dn === undefined ? [] : [part(DN_ATTRIBUTES, Buffer.from([0xff]))]),
    );
  }

  /** The octets of a value: of its UTF-8, and those that are escaped. */
  #octets(value: string): Buffer {
    const pieces = value.split(/\\([0-9A-Fa-f]{2})/);
    return Buffer.concat(
      pieces.map((piece, index) => {
        if (index % 2 === 1) return Buffer.from(piece, "hex");
        if (/[\\*\0]/.test(piece))
          this.#refuse("`*`, `(`, `)` and `\\` in a value are written as \\2a, \\28, \\29 and \\5c");
        return Buffer.from(piece);
      }),
    );
  }

  #take(parenthesis: string): void {
    if (this.#text[this.#at] !== parenthesis) this.#refuse(`"${parenthesis}" is missing`);
    this.#at += 1;
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #refuse(reason: string): never {
    throw new SyntaxError(`${reason}, at character ${this.#at + 1}`);
  }
}

function element(tag: number, ...parts: readonly Buffer[]): EncodedFilter {
  return { tag, content: Buffer.concat(parts) };
}

function part(tag: number, ...parts: readonly Buffer[]): Buffer {
  return encoded(element(tag, ...parts));
}

function encoded({ tag, content }: EncodedFilter): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const head = Buffer.from([tag, 0x84, 0, 0, 0, 0]);
  head.writeUInt32BE(length, 2);
  return Buffer.concat([head, content]);
}
