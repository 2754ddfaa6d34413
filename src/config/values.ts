import { isIP } from "node:net";
import { z } from "zod";
import { isNetwork } from "../core/network.ts";
import { asciiLowerCase, isObject } from "../core/values/basics.ts";

/** A kind of value: what a text has to look like, and what it becomes. */
export interface ValueType<T> {
  /** The values that are accepted: completes "must be ..." in messages, and is in the reference. */
  readonly values: string;
  readonly schema: z.ZodType<T>;
  /** The value is a path, relative to the folder of the settings file. */
  readonly path?: true;
  /** The value must not be shown. */
  readonly secret?: true;
  /** The value is a list, whose elements can be given one by one. */
  readonly list?: true;
  /** A key without a value (null, or an empty text) is not the same as none: what it restricts would be free. */
  readonly restricts?: true;
  /** The key of what restricts, of which this says more: alone, this restricts nobody. */
  readonly partOf?: string;
}

/** The type of what restricts: a key without a value is refused, as nobody would be restricted. */
export function restricting<V extends ValueType<unknown>>(type: V): V & { readonly restricts: true } {
  return { ...type, restricts: true };
}

/** The type of what says more about a restriction: refused where that is not given, as nobody would be restricted. */
export function partOf<V extends ValueType<unknown>>(restriction: string, type: V): V & { readonly partOf: string } {
  return { ...type, partOf: restriction };
}

/** A value type whose `parse` returns undefined for a text that is not a value of it. */
export function fromText<T>(values: string, parse: (text: string) => T | undefined): ValueType<T> {
  return { values, schema: parsed(values, z.string({ error: `must be ${values}` }).trim(), parse) };
}

function parsed<I, T>(values: string, input: z.ZodType<I>, parse: (given: I) => T | undefined): z.ZodType<T> {
  return input.transform((given, context) => {
    const value = parse(given);
    if (value !== undefined) return value;
    context.addIssue(`must be ${values}`);
    return z.NEVER;
  });
}

/** The number, if it is within the limits, both included. */
export function between(value: number | undefined, min: number, max: number): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

/** A whole number in decimal digits, limits included. */
export function wholeNumber(min: number, max: number): ValueType<number> {
  return fromText(`a whole number from ${min} to ${max}`, (text) =>
    /^[+-]?\d+$/.test(text) ? between(Number(text), min, max) : undefined,
  );
}

/** `true` or `false`, in any case. */
export function flag(): ValueType<boolean> {
  return fromText("true or false", (text) =>
    /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : undefined,
  );
}

/** One of several words, in any case; the value is the word as it is listed here. */
export function choice<const W extends string>(...words: readonly W[]): ValueType<W> {
  const listed = words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
  const known = new Map(words.map((word) => [asciiLowerCase(word), word]));
  return fromText(listed, (text) => known.get(asciiLowerCase(text)));
}

/** Text that is not blank. */
export function anyText(): ValueType<string> {
  return fromText("text that is not empty", (given) => given || undefined);
}

/** Text of a form; `values` says which. */
export function word(values: string, pattern: RegExp): ValueType<string> {
  return fromText(values, (given) => (pattern.test(given) ? given : undefined));
}

/** Text that must not be shown, not even in messages. Blanks at its ends belong to it, as in Spring; line ends do not, as files have them. */
export function secret(): ValueType<string> {
  const values = "text that is not empty";
  const input = z.string({ error: `must be ${values}` });
  const schema = parsed(values, input, (text) => (text.trim() && text.replace(/^[\r\n]+|[\r\n]+$/g, "")) || undefined);
  return { values, schema, secret: true };
}

const LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$)${LABEL}$`);

/** A host name, not an address. */
export function hostName(): ValueType<string> {
  return word("a host name", HOST_NAME);
}

/** An address that a server can listen on. */
export function networkAddress(): ValueType<string> {
  return fromText("an IP address or a host name", (given) =>
    isIP(given) !== 0 || HOST_NAME.test(given) ? given : undefined,
  );
}

/** A path, relative to the folder of the settings file. */
export function path(): ValueType<string> {
  return { ...fromText("a path", (given) => given || undefined), path: true };
}

/**
 * A path as Spring writes the location of a file: `file:` may stand in front. Neither a place inside a Java archive nor the
 * content of the file itself.
 */
export function fileResource(): ValueType<string> {
  const values = "a path, with or without `file:`";
  return {
    ...fromText(values, (given) => {
      const isPath = !/^classpath:/i.test(given) && !given.includes("-----BEGIN");
      return (isPath && given.replace(/^file:(?:\/\/(?=\/))?/i, "")) || undefined;
    }),
    path: true,
  };
}

/** A list whose elements match `pattern`: a YAML list or one text with commas; `what` describes the elements. */
export function listOf(what: string, pattern: RegExp): ValueType<string[]> {
  return elementsThat(`a list of ${what}`, (element) => pattern.test(element));
}

/** A value type whose `parse` is given the elements of a YAML list, or of one text with commas; it returns undefined for wrong ones. */
function fromList<T>(values: string, parse: (elements: string[]) => T | undefined): ValueType<T> {
  const input = z.union([z.string(), z.array(z.string())], { error: `must be ${values}` });
  return { values, schema: parsed(values, input, (given) => parse(elementsOf(given))), list: true };
}

/** A list whose elements are all valid: a YAML list or one text with commas. */
export function elementsThat(values: string, isValid: (element: string) => boolean): ValueType<string[]> {
  return fromList(values, (elements) => (elements.every(isValid) ? elements : undefined));
}

/** `true` for all, `false` for none, or a list of some. */
export function flagOrList(what: string, isValid: (element: string) => boolean): ValueType<boolean | string[]> {
  return fromList(`true, false or a list of ${what}`, (elements): boolean | string[] | undefined => {
    const [only = "", ...others] = elements;
    if (others.length === 0 && /^(true|false)$/i.test(only)) return only.toLowerCase() === "true";
    return elements.every(isValid) ? elements : undefined;
  });
}

/** A time zone that this machine knows. */
export function timeZone(): ValueType<string> {
  return fromText("an IANA time zone such as `Europe/Berlin`", (given) => {
    try {
      return new Intl.DateTimeFormat("en", { timeZone: given }).resolvedOptions().timeZone;
    } catch {
      return undefined;
    }
  });
}

function elementsOf(given: string | readonly string[]): string[] {
  if (given === "") return [];
  return (typeof given === "string" ? given.split(",") : given).map((element) => element.trim());
}

/**
 * URLs with one of these schemes: a YAML list or one text with commas. Credentials in them are refused, and so is every `@`: a
 * password with a `/` would be read as a path.
 */
export function urls(...schemes: readonly string[]): ValueType<string[]> {
  const listed = schemes.map((scheme) => `${scheme}://`).join(", ");
  const isOurs = (text: string): boolean => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url !== undefined && schemes.includes(url.protocol.slice(0, -1)) && url.host !== "" && !text.includes("@");
  };
  return fromList(`one or more URLs (${listed}), without user or password`, (elements) =>
    elements.length > 0 && elements.every(isOurs) ? elements : undefined,
  );
}

/** A list of some of these words, in any case: a YAML list or one text with commas; the values are the words as listed here. */
export function choices<const W extends string>(...words: readonly W[]): ValueType<W[]> {
  const known = new Map(words.map((word) => [asciiLowerCase(word), word]));
  return fromList(`one or more of ${words.join(", ")}`, (elements) => {
    const chosen = elements.flatMap((element) => known.get(asciiLowerCase(element)) ?? []);
    return chosen.length > 0 && chosen.length === elements.length ? chosen : undefined;
  });
}

/** An address on the web, as it is written. Credentials in it are refused. */
export function webAddress(): ValueType<string> {
  const values = "an https:// URL (http:// on this machine only), without user or password";
  return fromText(values, (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? given : undefined;
  });
}

/** A server without path, user or password: scheme, host and perhaps a port. */
export function origin(...schemes: readonly string[]): ValueType<URL> {
  const listed = schemes.map((scheme) => `${scheme}://`).join(" or ");
  return fromText(`a URL (${listed}) of a host and perhaps a port, without path, user or password`, (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (!url || !schemes.includes(url.protocol.slice(0, -1))) return undefined;
    return url.href === `${url.origin}/` && !/[?#]/.test(given) ? url : undefined;
  });
}

/** IP addresses and networks: a YAML list or one text with commas. */
export function networks(): ValueType<string[]> {
  return elementsThat("a list of IP addresses and networks (10.0.0.0/8)", isNetwork);
}

/** Values by names; the key of such a setting has `*` where the name stands. */
export function byName<T>(
  type: ValueType<T>,
  isName: (name: string) => boolean = Boolean,
): ValueType<Readonly<Record<string, T>>> {
  return {
    ...type,
    schema: z
      .custom<Readonly<Record<string, unknown>>>(isObject)
      .superRefine((given, context) => refuseNames(given, isName, context))
      .transform((given, context) => namedValues(given, type, context)),
  };
}

function refuseNames(
  given: Readonly<Record<string, unknown>>,
  isName: (name: string) => boolean,
  context: z.RefinementCtx,
): void {
  for (const name of Object.keys(given)) {
    if (!isName(name))
      context.addIssue({ code: "custom", path: [name], message: `${JSON.stringify(name)} is not a name` });
  }
}

/** All own names count, whatever they are: a record of zod has no `__proto__`. */
function namedValues<T>(
  given: Readonly<Record<string, unknown>>,
  { schema }: ValueType<T>,
  context: z.RefinementCtx,
): Readonly<Record<string, T>> {
  const values = Object.entries(given).flatMap(([name, value]): [string, T][] => {
    const { data, error } = schema.safeParse(value);
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue, path: [name, ...issue.path] } as never);
    return error ? [] : [[name, data]];
  });
  return Object.fromEntries(values);
}
