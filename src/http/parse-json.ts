import { AdminError } from "../core/errors.ts";
import type { Turns } from "../core/load/turns.ts";
import { TOO_LONG } from "../core/operations/fields.ts";
import { fault } from "../core/validation/faults.ts";
import { grouped } from "../core/values/basics.ts";

const MAX_DEPTH = 32;

/** More fields than any request has, yet few enough to report the wrong ones quickly. */
const MAX_FIELDS_OF_OBJECT = 1_000;

/** Longest string, as written: any text that a request may have, even if each half of each character is escaped. */
const MAX_STRING = 16 * 1024;

/** Values parsed in one piece: a fraction of a millisecond. */
const VALUES_AT_A_TIME = 1_000;

const BLANKS = /[\t\n\r ]*/y;
/** A number, `true`, `false` or `null`. */
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

const NOT_JSON = "is not valid JSON";
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
const TOO_MANY_FIELDS = `holds an object with more than ${grouped(MAX_FIELDS_OF_OBJECT)} fields`;
const FORBIDDEN_KEY = 'holds the key "__proto__"';

function refusal(problem: string, options?: ErrorOptions): AdminError {
  return new AdminError("BAD_REQUEST", `The request body ${problem}`, options);
}

interface Open {
  readonly container: unknown[] | Record<string, unknown>;
  /** Key of the next value; undefined in an array, and before it has been read. */
  key: string | undefined;
  /** Fields, or elements, so far. */
  fields: number;
}

/**
 * Parses JSON like `JSON.parse`, some values at a time, but more strictly: no duplicate keys, no key `__proto__`, at most 32 levels
 * and 1,000 fields in an object, no string that is too long for any field (decisions D-HTTP 5, D-HTTP 17), and a limited number of objects
 * and arrays, which take many times their bytes. Throws `BAD_REQUEST`.
 */
export async function parseJsonInTurns(text: string, maxContainers: number, turns: Turns): Promise<unknown> {
  const parser = new Parser(text, maxContainers);
  while (!parser.done) {
    if (turns.isOver()) await turns.next();
    for (let values = 0; values < VALUES_AT_A_TIME && !parser.done; values += 1) parser.next();
  }
  return parser.result;
}

/** The same in one piece, for short texts. */
export function parseJson(text: string): unknown {
  const parser = new Parser(text, text.length);
  while (!parser.done) parser.next();
  return parser.result;
}

class Parser {
  result: unknown;
  done = false;
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  readonly #maxContainers: number;
  #containers = 0;

  constructor(text: string, maxContainers: number) {
    this.#text = text;
    this.#maxContainers = maxContainers;
  }

  /** Reads one value, and what closes behind it. */
  next(): void {
    const character = this.#peek();
    if (character === "{" || character === "[") this.#begin(character);
    else this.#add(character === '"' ? this.#string() : this.#scalar());
  }

  #begin(bracket: "{" | "["): void {
    if (this.#open.length >= MAX_DEPTH) throw refusal(TOO_DEEP);
    this.#containers += 1;
    if (this.#containers > this.#maxContainers) {
      throw refusal(`holds more than ${grouped(this.#maxContainers)} objects and arrays`);
    }
    this.#at += 1;
    // With one place: an empty array reserves 17 for its first element, which a body of short arrays would multiply.
    const container = bracket === "{" ? {} : new Array(1);
    const opened: Open = { container, key: undefined, fields: 0 };
    this.#open.push(opened);
    if (this.#peek() === closing(opened)) this.#endEmpty(opened);
    else if (bracket === "{") this.#readKey(opened);
  }

  #endEmpty({ container }: Open): void {
    if (Array.isArray(container)) container.length = 0;
    this.#end();
  }

  #end(): void {
    this.#at += 1;
    this.#add(this.#open.pop()?.container);
  }

  /** Puts a value where it belongs, and reads on to the next one. */
  #add(value: unknown): void {
    const holder = this.#open.at(-1);
    if (holder) this.#addTo(holder, value);
    else this.#finish(value);
  }

  #addTo(holder: Open, value: unknown): void {
    if (Array.isArray(holder.container)) holder.container[holder.fields++] = value;
    else holder.container[holder.key ?? ""] = value;
    const character = this.#peek();
    if (character === closing(holder)) {
      this.#end();
    } else {
      this.#expect(",");
      if (holder.key !== undefined) this.#readKey(holder);
    }
  }

  #finish(value: unknown): void {
    if (this.#peek() !== undefined) throw refusal(NOT_JSON);
    this.result = value;
    this.done = true;
  }

  #readKey(holder: Open): void {
    if (this.#peek() !== '"') throw refusal(NOT_JSON);
    holder.key = undefined;
    const key = this.#string();
    this.#expect(":");
    checkKey(key, holder.container);
    holder.fields += 1;
    if (holder.fields > MAX_FIELDS_OF_OBJECT) throw refusal(TOO_MANY_FIELDS);
    holder.key = key;
  }

  #string(): string {
    const end = endOfString(this.#text, this.#at);
    if (end - this.#at > MAX_STRING) throw this.#tooLong();
    const token = this.#text.slice(this.#at, end);
    this.#at = end;
    try {
      return JSON.parse(token) as string;
    } catch (cause) {
      throw refusal(NOT_JSON, { cause });
    }
  }

  /** Names the field, or the key itself. */
  #tooLong(): AdminError {
    const unread = this.#text.slice(this.#at + 1, this.#at + MAX_STRING);
    const path = this.#open.map(({ container, key, fields }) => (Array.isArray(container) ? fields : (key ?? unread)));
    return new AdminError("BAD_REQUEST", fault(path.length > 0 ? path : ["request body"], TOO_LONG));
  }

  #scalar(): unknown {
    SCALAR.lastIndex = this.#at;
    const token = SCALAR.exec(this.#text)?.[0];
    if (token === undefined) throw refusal(NOT_JSON);
    this.#at += token.length;
    return JSON.parse(token);
  }

  #expect(character: string): void {
    if (this.#peek() !== character) throw refusal(NOT_JSON);
    this.#at += 1;
  }

  /** The next character that is not blank. */
  #peek(): string | undefined {
    BLANKS.lastIndex = this.#at;
    BLANKS.test(this.#text);
    this.#at = BLANKS.lastIndex;
    return this.#text[this.#at];
  }
}

function closing({ container }: Open): string {
  return Array.isArray(container) ? "]" : "}";
}

/** Behind the closing quote of a string, or of one that is too long; the end of a text that lacks it. */
function endOfString(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at >= 0 && at - open < MAX_STRING && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at + 1;
}

/** Whether a quote has a backslash before it that counts. */
export function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}

function checkKey(key: string, container: object): void {
  if (key === "__proto__") throw refusal(FORBIDDEN_KEY);
  if (!Object.hasOwn(container, key)) return;
  throw refusal(`holds the key ${JSON.stringify(key)} twice in one object`);
}

/** Checks what can still be checked of a value that another parser made; duplicate keys are gone by then. */
export function checkParsed(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) throw refusal(TOO_DEEP);
  if (Object.hasOwn(value, "__proto__")) throw refusal(FORBIDDEN_KEY);
  for (const field of Object.values(value)) checkParsed(field, depth + 1);
  return value;
}
