import { z } from "zod";
import { AdminError } from "../errors.ts";
import type { Operation, Prepared } from "../operations/operation.ts";
import type { CallName } from "../operations/table.ts";
import { isObject } from "../values/basics.ts";
import { compileConformity } from "./conformity.ts";
import { fault, faultMessage, MAX_FAULTS, OTHERS } from "./faults.ts";
import { checkSize, type UnknownFields } from "./input-size.ts";

/** Validates the input of an operation; throws `BAD_REQUEST` with the faulty fields. */
export function parseInput(operation: Operation, raw: unknown, unknownFields: UnknownFields): Record<string, unknown> {
  const { input: schema } = operation;
  if (!isObject(raw)) throw new AdminError("BAD_REQUEST", "The request body must be a JSON object");
  checkSize(operation, raw, unknownFields);
  const fields = raw as Record<string, unknown>;
  const given = withoutOmitted(schema, operation.withoutIgnored?.(fields) ?? fields, unknownFields);
  const lists = checkLists(schema, given as Record<string, unknown>);
  const result = withoutElements(schema).safeParse(lists.input, { reportInput: true });
  if (result.success && lists.issues.length === 0) return result.data;
  const issues = inOrderOf(schema, lists.issues, result.error?.issues ?? []);
  const listed = issues.filter((issue) => othersOf(issue) === 0).flatMap(describe);
  const count = issues.reduce((sum, issue) => sum + othersOf(issue), listed.length + lists.others);
  throw new AdminError("BAD_REQUEST", faultMessage(listed, count));
}

/** A value without `null` optional fields, which count as omitted, and without ignored fields (decisions D-HTTP 18, D-HTTP 6). */
function withoutOmitted(schema: unknown, value: unknown, unknownFields: UnknownFields): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => withoutOmitted(schema.element, element, unknownFields));
  }
  if (!(schema instanceof z.ZodObject) || !isObject(value)) return value;
  const { shape } = schema;
  const fields: [string, unknown][] = [];
  for (const key of unknownFields === "ignore" ? Object.keys(shape) : Object.keys(value)) {
    if (!Object.hasOwn(value, key) || (value[key] === null && isOptional(shape[key]))) continue;
    fields.push([key, withoutOmitted(shape[key], value[key], unknownFields)]);
  }
  return Object.fromEntries(fields);
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

/** Issues of single fields come first, in the order of the fields, then those of several fields. */
function inOrderOf({ shape }: z.ZodObject, ofLists: readonly Issue[], ofOthers: readonly Issue[]): Issue[] {
  const fields = Object.keys(shape);
  const place = ({ path: [field] }: Issue): number => fields.indexOf(String(field));
  const placed = [
    ...ofLists.map((issue) => ({ issue, at: place(issue) })),
    ...ofOthers.map((issue) => ({ issue, at: issue.path.length === 1 ? place(issue) : fields.length })),
  ];
  return placed.sort((a, b) => a.at - b.at).map(({ issue }) => issue);
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

type Issue = z.core.$ZodIssue;

interface CheckedLists {
  /** Its lists end before the first faulty element that is not described. */
  readonly input: Record<string, unknown>;
  readonly issues: readonly Issue[];
  /** Number of faulty elements that are not described. */
  readonly others: number;
}

/**
 * Checks the elements of an input's lists: quickly, and in full where that is not enough. The first 20 faulty ones of a list are
 * described: thousands would take a second.
 */
function checkLists({ shape }: z.ZodObject, given: Record<string, unknown>): CheckedLists {
  const input = { ...given };
  const issues: Issue[] = [];
  let others = 0;
  for (const [key, schema] of Object.entries(shape)) {
    const list = given[key];
    if (!(schema instanceof z.ZodArray) || !Array.isArray(list)) continue;
    const checked = checkElements(schema.element, list);
    input[key] = checked.elements;
    issues.push(...below(key, checked));
    others += checked.others;
  }
  return { input, issues, others };
}

type CheckedElements = Pick<CheckedLists, "issues" | "others"> & { readonly elements: unknown[] };

function checkElements(schema: z.core.$ZodType, list: readonly unknown[]): CheckedElements {
  const conforms = compileConformity(schema);
  const elements: unknown[] = [];
  const issues: Issue[] = [];
  let described = 0;
  let others = 0;
  for (const [index, element] of list.entries()) {
    const isFine = conforms(element);
    if (!isFine && described === MAX_FAULTS) others += 1;
    if (others > 0) continue;
    const { data, error } = isFine ? { data: element } : z.safeParse(schema, element, { reportInput: true });
    elements.push(error ? element : data);
    issues.push(...below(index, error));
    if (error) described += 1;
  }
  return { elements, issues, others };
}

/** The issues of the value of a key. */
function below(key: PropertyKey, found: Pick<CheckedLists, "issues"> | undefined): Issue[] {
  return found?.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] })) ?? [];
}

const withAnyElements = new WeakMap<z.ZodObject, z.ZodObject>();

/** A schema that does not look at the elements of its lists, but at everything else. */
function withoutElements(schema: z.ZodObject): z.ZodObject {
  const lighter = withAnyElements.get(schema) ?? lighterThan(schema);
  withAnyElements.set(schema, lighter);
  return lighter;
}

function lighterThan(schema: z.ZodObject): z.ZodObject {
  const lists = Object.entries(schema.shape).flatMap(([key, field]): [string, z.core.$ZodType][] =>
    field instanceof z.ZodArray ? [[key, z.core.clone(field, { ...field.def, element: z.unknown() })]] : [],
  );
  return lists.length > 0 ? schema.safeExtend(Object.fromEntries(lists)) : schema;
}

/**
 * A validated input, prepared for the engine. An edge may cache it for equal requests, so that the same query is validated once.
 */
export class ValidInput {
  /** Name of the operation whose input it is. */
  readonly operation: CallName;
  /** The input for the engine. */
  readonly prepared: Prepared<Readonly<Record<string, unknown>>>;

  constructor(operation: CallName, prepared: Prepared<Readonly<Record<string, unknown>>>) {
    this.operation = operation;
    this.prepared = prepared;
  }
}

/** Validates and prepares the input of an operation; throws `BAD_REQUEST` with the faulty fields. */
export function prepareInput(
  name: CallName,
  operation: Operation,
  raw: unknown,
  unknownFields: UnknownFields,
): ValidInput {
  const input = parseInput(operation, raw, unknownFields);
  return new ValidInput(name, operation.prepare?.(input) ?? { input });
}
