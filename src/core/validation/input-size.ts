import { z } from "zod";
import { AdminError } from "../errors.ts";
import type { MaxEntries, Operation } from "../operations/operation.ts";
import { type Fields, grouped, isObject } from "../values/basics.ts";
import { fault, faultMessage, MAX_FAULTS } from "./faults.ts";

/** Treatment of unknown request fields. */
export type UnknownFields = "reject" | "ignore";

type Path = readonly PropertyKey[];

/**
 * Refuses input with more elements or unknown fields than its operation allows, before full validation: listing a megabyte of faults
 * takes seconds. The work left for validation is bounded. Throws `BAD_REQUEST`.
 */
export function checkSize({ input, maxEntries }: Operation, value: Fields, unknownFields: UnknownFields): void {
  const excess = new Excess(unknownFields === "reject");
  excess.measure(input, value, []);
  if (maxEntries) excess.sum(maxEntries, value);
  excess.refuse();
}

/** Objects and arrays that a value of a schema has at most. */
export function mostContainers(schema: z.core.$ZodType): number {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) return 1 + most(inner.meta()?.maxItems) * mostContainers(inner.element);
  if (inner instanceof z.ZodRecord) return 1 + most(inner.meta()?.maxProperties) * mostContainers(inner.valueType);
  if (!(inner instanceof z.ZodObject)) return 0;
  return Object.values(inner.shape).reduce((sum: number, field) => sum + mostContainers(field), 1);
}

function most(limit: unknown): number {
  return typeof limit === "number" ? limit : Number.MAX_SAFE_INTEGER;
}

class Excess {
  readonly #rejectsUnknown: boolean;
  readonly #faults: string[] = [];
  #tooLarge = 0;
  #unknown = 0;

  constructor(rejectsUnknown: boolean) {
    this.#rejectsUnknown = rejectsUnknown;
  }

  measure(schema: z.core.$ZodType, value: unknown, path: Path): void {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodArray && Array.isArray(value)) this.#measureList(inner, value, path);
    if (!isObject(value)) return;
    if (inner instanceof z.ZodRecord) this.#limit(Object.keys(value).length, inner.meta()?.maxProperties, path);
    if (inner instanceof z.ZodObject) this.#measureObject(inner, value, path);
  }

  /** Counts the entries that all elements of a list have in one of their fields. */
  sum({ list, field, most }: MaxEntries, fields: Fields): void {
    const elements = Array.isArray(fields[list]) ? fields[list] : [];
    const count = elements.filter(isObject).reduce((sum, { [field]: entries }) => sum + sizeOf(entries), 0);
    if (count > most)
      this.#exceeds([list], `must have at most ${grouped(most)} ${field} in all, has ${grouped(count)}`);
  }

  refuse(): void {
    if (this.#tooLarge === 0 && this.#unknown <= MAX_FAULTS) return;
    throw new AdminError("BAD_REQUEST", faultMessage(this.#faults, this.#tooLarge + this.#unknown));
  }

  #measureList(schema: z.ZodArray, list: readonly unknown[], path: Path): void {
    if (this.#limit(list.length, schema.meta()?.maxItems, path)) return;
    for (const [index, element] of list.entries()) {
      this.measure(schema.element, element, [...path, index]);
    }
  }

  #measureObject({ shape }: z.ZodObject, object: Record<string, unknown>, path: Path): void {
    const known = Object.entries(shape).filter(([key]) => Object.hasOwn(object, key));
    for (const [key, field] of known) this.measure(field, object[key], [...path, key]);
    if (!this.#rejectsUnknown) return;
    const keys = Object.keys(object);
    this.#unknown += keys.length - known.length;
    for (const key of keys) {
      if (this.#faults.length >= MAX_FAULTS) return;
      if (!Object.hasOwn(shape, key)) this.#faults.push(fault([...path, key], "unknown field"));
    }
  }

  /** Returns whether the count exceeds the maximum. */
  #limit(count: number, maximum: unknown, path: Path): boolean {
    if (typeof maximum !== "number" || count <= maximum) return false;
    this.#exceeds(path, `must have at most ${grouped(maximum)} elements, has ${grouped(count)}`);
    return true;
  }

  #exceeds(path: Path, problem: string): void {
    this.#tooLarge += 1;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push(fault(path, problem));
  }
}

function sizeOf(entries: unknown): number {
  return isObject(entries) ? Object.keys(entries).length : 0;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}
