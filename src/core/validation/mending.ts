import { z } from "zod";
import { type Fields, isObject } from "../values/basics.ts";
import { type Conforms, compileConformity, decides } from "./conformity.ts";
import type { InvalidField, InvalidFields } from "./invalid-fields.ts";

/** Stands for a value of which nothing can be shown. */
export const UNUSABLE: unique symbol = Symbol("unusable");

/** A field of an object, and what may stand in place of a value that breaks its schema. */
interface FieldCheck {
  readonly key: string;
  readonly schema: z.core.$ZodType;
  readonly conforms: Conforms;
  /** Whether a value that does not conform is certainly none of the schema. */
  readonly isWrong: (value: unknown) => boolean;
  readonly instead: InvalidField["shown"];
}

/**
 * What is right in an output that breaks its schema, in part or only by fields that the schema does not have (decision D-VAL 11): a bad
 * field is null, or absent, where the schema allows that, otherwise its row is left out. No value is replaced by another one, and none
 * within a field: a limit that is not understood must not become null, which is unlimited. `UNUSABLE` where that leaves nothing.
 */
export function mended(schema: z.core.$ZodType, value: unknown, invalid: InvalidFields): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value)) return mendedRows(schema.element, value, invalid);
  if (schema instanceof z.ZodObject && isObject(value)) return mendedObject(schema, value, false, invalid);
  return UNUSABLE;
}

function mendedRows(schema: z.core.$ZodType, list: readonly unknown[], invalid: InvalidFields): unknown[] {
  const conforms = compileConformity(schema);
  // Once: the checks of zod's classes take longer than all else.
  const ofObjects = schema instanceof z.ZodObject ? schema : undefined;
  const rows: unknown[] = [];
  for (const row of list) {
    const shown = conforms(row) ? row : mendedRow(ofObjects, row, invalid);
    if (shown !== UNUSABLE) rows.push(shown);
  }
  return rows;
}

function mendedRow(schema: z.ZodObject | undefined, row: unknown, invalid: InvalidFields): unknown {
  if (schema && isObject(row)) return mendedObject(schema, row, true, invalid);
  invalid.add("row left out", () => ({ row: "", field: "" }));
  return UNUSABLE;
}

function mendedObject(schema: z.ZodObject, given: Fields, isRow: boolean, invalid: InvalidFields): unknown {
  const describe = (field: FieldCheck) => () => ({
    row: isRow ? nameOf(schema, given) : "",
    field: placeIn(field, given),
  });
  const values = fieldsOf(schema).map((field) => [field, usable(field, given[field.key], invalid)] as const);
  const [fatal] = values.find(([{ instead }, value]) => value === UNUSABLE && instead === "row left out") ?? [];
  if (fatal) {
    if (isRow) invalid.add("row left out", describe(fatal));
    return UNUSABLE;
  }
  const object: Record<string, unknown> = {};
  for (const [field, value] of values) {
    if (value === UNUSABLE) invalid.add(field.instead, describe(field));
    const shown = value === UNUSABLE && field.instead === "null" ? null : value;
    if (shown !== UNUSABLE && shown !== undefined) object[field.key] = shown;
  }
  return object;
}

/** A value of a field as it is shown; undefined for one that may be absent and is. */
function usable({ schema, conforms, isWrong }: FieldCheck, value: unknown, invalid: InvalidFields): unknown {
  if (conforms(value)) return value;
  if (isWrong(value)) return UNUSABLE;
  if (schema instanceof z.ZodArray || schema instanceof z.ZodObject) return mended(schema, value, invalid);
  const { success, data } = z.safeParse(schema, value);
  return success ? data : UNUSABLE;
}

const checks = new WeakMap<z.ZodObject, readonly FieldCheck[]>();

function fieldsOf(schema: z.ZodObject): readonly FieldCheck[] {
  const known = checks.get(schema) ?? Object.entries(schema.shape).map(([key, field]) => fieldCheck(key, field));
  checks.set(schema, known);
  return known;
}

function fieldCheck(key: string, schema: z.core.$ZodType): FieldCheck {
  const conforms = compileConformity(schema);
  const absent = conforms(undefined) ? "left out" : "row left out";
  return { key, schema, conforms, isWrong: decides(schema), instead: conforms(null) ? "null" : absent };
}

/** The names in a row: its texts that are always there, and the conditions of a limit. */
function nameOf(schema: z.ZodObject, row: Fields): string {
  const names = fieldsOf(schema)
    .filter(({ schema: field }) => field instanceof z.ZodString || isRecordOfTexts(field))
    .map(({ key, conforms }) => (conforms(row[key]) ? row[key] : undefined));
  return names.map(wordsOf).filter(Boolean).join(" ");
}

function isRecordOfTexts(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodRecord && schema.valueType instanceof z.ZodString;
}

function wordsOf(name: unknown): string {
  return isObject(name)
    ? Object.entries(name)
        .map((entry) => entry.join("="))
        .join("/")
    : String(name ?? "");
}

/** Where in an object the first fault of a field is: `limits.MaxOrderSize`. */
function placeIn({ key, schema }: FieldCheck, given: Fields): string {
  const [first] = z.safeParse(schema, given[key]).error?.issues ?? [];
  return [key, ...(first?.path ?? [])].map(String).join(".");
}
