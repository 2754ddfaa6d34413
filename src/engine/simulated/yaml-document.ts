import { closest } from "fastest-levenshtein";
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
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

/** Parses YAML text; reports faults instead of throwing. */
export function readYaml(yamlText: string): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { schema: "failsafe", lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const errors = document.errors.map(({ pos, message }) => ({ line: lineAt(pos[0]), message }));
  return {
    content: errors.length === 0 ? document.toJS() : undefined,
    errors,
    lineOf: (path) => lineAt(offsetOf(document.contents, path)),
  };
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
