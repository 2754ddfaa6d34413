import { z } from "zod";
import { AdminError } from "../errors.ts";
import type { Steps } from "../load/steps.ts";
import { grouped, isObject } from "../values/basics.ts";
import { fault, faultMessage, MAX_FAULTS } from "./faults.ts";

/** Treatment of unknown request fields (decision D-HTTP 6). */
export type UnknownFields = "reject" | "ignore";

/** Elements of a list that are looked at in one step. */
const ELEMENTS_AT_A_TIME = 10;

/** Whether another step begins with an element of a list. */
export function beginsStep(index: number): boolean {
  return index > 0 && index % ELEMENTS_AT_A_TIME === 0;
}

type Path = readonly PropertyKey[];

/**
 * Refuses input with more elements or unknown fields than its schema allows, before full validation: listing a megabyte of faults
 * takes seconds. The work left for validation is bounded. Throws `BAD_REQUEST`.
 */
export function* checkSize(schema: z.core.$ZodType, value: unknown, unknownFields: UnknownFields): Steps {
  const excess = new Excess(unknownFields === "reject");
  yield* excess.measure(schema, value, []);
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
  /** The listed faults. */
  readonly #faults: string[] = [];
  #tooLarge = 0;
  #unknown = 0;

  constructor(rejectsUnknown: boolean) {
    this.#rejectsUnknown = rejectsUnknown;
  }

  *measure(schema: z.core.$ZodType, value: unknown, path: Path): Steps {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodArray && Array.isArray(value)) yield* this.#measureList(inner, value, path);
    if (!isObject(value)) return;
    if (inner instanceof z.ZodRecord) this.#limit(Object.keys(value).length, inner.meta()?.maxProperties, path);
    if (inner instanceof z.ZodObject) yield* this.#measureObject(inner, value, path);
  }

  refuse(): void {
    if (this.#tooLarge === 0 && this.#unknown <= MAX_FAULTS) return;
    throw new AdminError("BAD_REQUEST", faultMessage(this.#faults, this.#tooLarge + this.#unknown));
  }

  *#measureList(schema: z.ZodArray, list: readonly unknown[], path: Path): Steps {
    if (this.#limit(list.length, schema.meta()?.maxItems, path)) return;
    for (const [index, element] of list.entries()) {
      if (beginsStep(index)) yield;
      yield* this.measure(schema.element, element, [...path, index]);
    }
  }

  *#measureObject({ shape }: z.ZodObject, object: Record<string, unknown>, path: Path): Steps {
    const known = Object.entries(shape).filter(([key]) => Object.hasOwn(object, key));
    for (const [key, field] of known) yield* this.measure(field, object[key], [...path, key]);
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
    this.#tooLarge += 1;
    if (this.#faults.length >= MAX_FAULTS) return true;
    this.#faults.push(fault(path, `must have at most ${grouped(maximum)} elements, has ${grouped(count)}`));
    return true;
  }
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}
