import { closest } from "fastest-levenshtein";
import {
  Composer,
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  YAMLParseError,
} from "yaml";
import { z } from "zod";

type Path = readonly PropertyKey[];

/** A YAML document of texts that remembers on which line each part stands. */
export interface YamlDocument {
  /** The content; every scalar is text. */
  readonly content: unknown;
  /** Syntax errors, repeated keys included, with their lines. */
  readonly errors: readonly { readonly line: number; readonly message: string }[];
  /** Line of the part at `path`, counted from 1; of the nearest part around it when there is none. */
  lineOf(path: Path): number;
}

/** More than any file of ours has. The library exhausts the stack at some thousands, after minutes where there are millions. */
const MAX_LEVELS = 100;

class BoundedParser extends Parser {
  override *next(source: string): ReturnType<Parser["next"]> {
    const { offset } = this;
    if (this.stack.length > MAX_LEVELS) throw faultAt(offset, `nested more than ${MAX_LEVELS} levels deep`);
    yield* super.next(source);
  }
}

function faultAt(offset: number, message: string): YAMLParseError {
  return new YAMLParseError([offset, offset + 1], "RESOURCE_EXHAUSTION", message);
}

/** Parses YAML text; reports faults instead of throwing. */
export function readYaml(yamlText: string): YamlDocument {
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const { document, faults } = parsed(yamlText, lines);
  const errors = faults.map(({ pos, message }) => ({ line: lineAt(pos[0]), message }));
  return {
    content: errors.length === 0 ? document?.toJS() : undefined,
    errors,
    lineOf: (path) => lineAt(offsetOf(document?.contents ?? null, path)),
  };
}

function parsed(
  text: string,
  lines: LineCounter,
): { document?: Document.Parsed | undefined; faults: readonly YAMLParseError[] } {
  const composer = new Composer({ schema: "failsafe" });
  const tokens = new BoundedParser(lines.addNewLine).parse(text);
  try {
    const [document, second] = composer.compose(tokens, true, text.length);
    const more = second ? [faultAt(second.range[0], "there is more than one document")] : [];
    return { document, faults: [...(document?.errors ?? []), ...more] };
  } catch (error) {
    if (error instanceof YAMLParseError) return { faults: [error] };
    throw error;
  }
}

function offsetOf(root: Node | null, path: Path): number {
  let at: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const step of path) {
    const next = childOf(at, step);
    if (!next) return offset;
    offset = next.offset ?? offset;
    at = next.value;
  }
  return offset;
}

function childOf(parent: unknown, step: PropertyKey): { value: unknown; offset: number | undefined } | undefined {
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }: Pair) => isScalar(key) && key.value === String(step));
    return pair && { value: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined };
  }
  if (!isSeq(parent)) return undefined;
  const item = parent.items[Number(step)] as Node | undefined;
  return item && { value: item, offset: item.range?.[0] };
}

/** Says that a key is unknown and which known key it resembles most. */
export function unknownKey(schema: z.core.$ZodType, path: Path, key: string): string {
  const known = knownKeys(schema, path);
  return known.length === 0 ? "unknown key" : `unknown key; the nearest known key is "${closest(key, known)}"`;
}

function knownKeys(schema: z.core.$ZodType, path: Path): string[] {
  let at: z.core.$ZodType | undefined = unwrapped(schema);
  for (const step of path) at = unwrapped(childSchema(at, step));
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function childSchema(schema: z.core.$ZodType | undefined, step: PropertyKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[String(step)];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodArray ? schema.element : undefined;
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema;
}
