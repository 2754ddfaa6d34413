import { z } from "zod";
import { AdminError } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";
import { isObject } from "../values/basics.ts";
import { compileConformity } from "./conformity.ts";
import { fault, faultMessage, MAX_FAULTS, OTHERS } from "./faults.ts";
import { checkSize, type UnknownFields } from "./input-size.ts";

type Issue = z.core.$ZodIssue;

/** Validates the input of an operation; throws `BAD_REQUEST` with the faulty fields. */
export function parseInput(operation: Operation, raw: unknown, unknownFields: UnknownFields): Record<string, unknown> {
  if (!isObject(raw)) {
    throw new AdminError("BAD_REQUEST", "The request body must be a JSON object");
  }
  checkSize(operation.input, raw, unknownFields);
  const fields = raw as Record<string, unknown>;
  const given = withoutOmitted(operation.input, operation.withoutIgnored?.(fields) ?? fields, unknownFields);
  const { input, others, conforming } = untilFaulty(operation.input, given as Record<string, unknown>);
  const result = withoutElements(operation.input, conforming).safeParse(input, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  const listed = issues.filter((issue) => othersOf(issue) === 0).flatMap(describe);
  const count = issues.reduce((sum, issue) => sum + othersOf(issue), listed.length + others);
  throw new AdminError("BAD_REQUEST", faultMessage(listed, count));
}

/** A value without `null` optional fields, which count as omitted, and without ignored fields (decisions D-HTTP 18, D-HTTP 6). */
function withoutOmitted(schema: unknown, value: unknown, unknownFields: UnknownFields): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => withoutOmitted(schema.element, element, unknownFields));
  }
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  const { shape } = schema;
  const keys = unknownFields === "ignore" ? Object.keys(shape) : Object.keys(value);
  const fields = keys.flatMap((key): [string, unknown][] => {
    if (!Object.hasOwn(value, key)) return [];
    const field = value[key];
    return field === null && isOptional(shape[key]) ? [] : [[key, withoutOmitted(shape[key], field, unknownFields)]];
  });
  return Object.fromEntries(fields);
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

interface FoundFaults {
  input: Record<string, unknown>;
  /** Faulty elements that were cut off. */
  others: number;
  /** Long lists without a faulty element. */
  readonly conforming: string[];
}

/**
 * Truncates lists after their 20th faulty element and counts the other faulty ones: describing thousands of faults takes a second,
 * detecting them a few milliseconds.
 */
function untilFaulty({ shape }: z.ZodObject, input: Record<string, unknown>): FoundFaults {
  const found: FoundFaults = { input, others: 0, conforming: [] };
  for (const [key, schema] of Object.entries(shape)) {
    const list = input[key];
    if (!(schema instanceof z.ZodArray) || !Array.isArray(list) || list.length <= MAX_FAULTS) continue;
    const conforms = compileConformity(schema.element);
    const faulty = list.flatMap((element, index) => (conforms(element) ? [] : [index]));
    if (faulty.length === 0) found.conforming.push(key);
    if (faulty.length <= MAX_FAULTS) continue;
    found.input = { ...found.input, [key]: list.slice(0, faulty[MAX_FAULTS]) };
    found.others += faulty.length - MAX_FAULTS;
  }
  return found;
}

const withAnyElements = new WeakMap<z.ZodObject, Map<string, z.ZodObject>>();

/** A schema that does not look at the elements of these lists again, but at everything else. */
function withoutElements(schema: z.ZodObject, lists: readonly string[]): z.ZodObject {
  if (lists.length === 0) return schema;
  const known = withAnyElements.get(schema) ?? new Map<string, z.ZodObject>();
  withAnyElements.set(schema, known);
  const key = lists.join();
  const lighter =
    known.get(key) ?? schema.safeExtend(Object.fromEntries(lists.map((list) => [list, z.array(z.unknown())])));
  known.set(key, lighter);
  return lighter;
}

/** Number of unlisted faults that an issue stands for. */
function othersOf(issue: Issue): number {
  return issue.code === "custom" ? Number(issue.params?.[OTHERS] ?? 0) : 0;
}

function describe(issue: Issue): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => fault([...issue.path, key], "unknown field"));
  if (issue.code === "invalid_key") return [fault(issue.path, "invalid name")];
  const missing = issue.code !== "custom" && issue.input === undefined;
  return [fault(issue.path, missing ? "is required" : issue.message)];
}
