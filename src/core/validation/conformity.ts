import { z } from "zod";

/** Returns whether a value matches a schema exactly, without unknown fields. */
export type Conforms = (value: unknown) => boolean;

const compiled = new WeakMap<z.core.$ZodType, Conforms>();

/**
 * Compiles a schema, once, into a plain check that costs a fraction of a full parse. `false` only means that the full parse has to
 * decide: the check supports the kinds of schema that outputs use, and no refinements except those of strings.
 */
export function compileConformity(schema: z.core.$ZodType): Conforms {
  const conforms = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, conforms);
  return conforms;
}

function compile(schema: z.core.$ZodType): Conforms {
  if (schema instanceof z.ZodNull) return (value) => value === null;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === "boolean";
  if (schema instanceof z.ZodNumber) return isSafeInteger(schema) ? Number.isSafeInteger : () => false;
  if (schema instanceof z.ZodString) return compileString(schema);
  if (schema instanceof z.ZodEnum) return compileEnum(schema);
  if (schema instanceof z.ZodNullable) return orElse(null, compileConformity(schema.unwrap()));
  if (schema instanceof z.ZodOptional) return orElse(undefined, compileConformity(schema.unwrap()));
  if (schema instanceof z.ZodArray) return compileArray(schema);
  if (schema instanceof z.ZodRecord) return compileRecord(schema);
  if (schema instanceof z.ZodObject) return compileObject(schema);
  return () => false;
}

/** What is wrong with a value, a line for each part; `whole` names the value. */
export function faultsIn({ issues }: z.ZodError, whole: string): string[] {
  return issues.map(({ path, message }) => `${path.join(".") || whole}: ${message}`);
}

/**
 * Whether the compiled check alone decides about texts, numbers, enumerations and records of a schema, so that `false` needs no full parse,
 * which takes a hundred times as long; but not about what is of another realm, or made by a class.
 */
export function decides(schema: z.core.$ZodType): (value: unknown) => boolean {
  if (!isCompiled(schema)) return () => false;
  return (value) => typeof value !== "object" || value === null || Array.isArray(value) || isPlainObject(value);
}

const COMPILED = [z.ZodNull, z.ZodBoolean, z.ZodString, z.ZodEnum, z.ZodRecord] as const;

function isCompiled(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return isCompiled(schema.unwrap());
  if (schema instanceof z.ZodNumber) return isSafeInteger(schema);
  return COMPILED.some((kind) => schema instanceof kind);
}

function orElse(exception: null | undefined, conforms: Conforms): Conforms {
  return (value) => value === exception || conforms(value);
}

function isSafeInteger({ format, def }: z.ZodNumber): boolean {
  return format === "safeint" && def.checks === undefined;
}

interface StringCheck {
  readonly fn?: Conforms;
  readonly check: string;
  readonly minimum?: number;
}

function compileCheck({ fn, check, minimum = 0 }: StringCheck): Conforms | undefined {
  if (check === "min_length") return (value) => (value as string).length >= minimum;
  return fn;
}

/** Calls refinements and the check for a least length directly; strings with other checks are left to zod. */
function compileString(schema: z.ZodString): Conforms {
  const refinements: Conforms[] = [];
  for (const { _zod } of schema.def.checks ?? []) {
    const holds = compileCheck(_zod.def as unknown as StringCheck);
    if (!holds) return (value) => schema.safeParse(value).success;
    refinements.push(holds);
  }
  return (value) => {
    if (typeof value !== "string") return false;
    // Not every(): one closure per text of a long list would burden the garbage collector.
    for (const holds of refinements) if (!holds(value)) return false;
    return true;
  };
}

function compileEnum(schema: z.ZodEnum): Conforms {
  const options = new Set<unknown>(schema.options);
  return (value) => options.has(value);
}

function compileArray(schema: z.ZodArray): Conforms {
  const element = compileConformity(schema.element);
  return (value) => Array.isArray(value) && value.every(element);
}

function compileRecord(schema: z.ZodRecord): Conforms {
  const element = compileConformity(schema.valueType);
  const name = compileConformity(schema.keyType);
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const key in value) if (!name(key) || !element(value[key])) return false;
    return true;
  };
}

function compileObject(schema: z.ZodObject): Conforms {
  const fields = Object.entries(schema.shape).map(([key, field]) => ({ key, conforms: compileConformity(field) }));
  const known = new Set(Object.keys(schema.shape));
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const { key, conforms } of fields) if (!conforms(value[key])) return false;
    for (const key in value) if (!known.has(key)) return false;
    return true;
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
