import { z } from "zod";
import { AdminError } from "./errors.ts";
import type { Operation } from "./operation.ts";

/** What happens to a request field that no operation knows (decision D-HTTP 6). */
export type UnknownFields = "reject" | "ignore";

type Issue = z.core.$ZodIssue;

/** Checks raw input against an operation; throws `BAD_REQUEST` that names every bad field. */
export function parseInput(operation: Operation, raw: unknown, unknownFields: UnknownFields): Record<string, unknown> {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    throw new AdminError("BAD_REQUEST", "The request body must be a JSON object");
  }
  const fields = raw as Record<string, unknown>;
  const given = withoutOmitted(operation.input, operation.withoutIgnored?.(fields) ?? fields);
  const result = operation.input.safeParse(given, { reportInput: true });
  if (result.success) return result.data;
  if (unknownFields === "ignore" && result.error.issues.some(isUnknownKeys)) {
    return parseInput(operation, withoutUnknown(given, result.error.issues), "reject");
  }
  throw new AdminError("BAD_REQUEST", describeIssues(result.error.issues));
}

/** A value without the optional fields that are `null`: they count as omitted (decision D-HTTP 6). */
function withoutOmitted(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => withoutOmitted(schema.element, element));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, field]) => field !== null || !isOptional(schema.shape[key]));
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutOmitted(schema.shape[key] ?? z.unknown(), field)]));
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

function isUnknownKeys(issue: Issue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === "unrecognized_keys";
}

function withoutUnknown(value: unknown, issues: readonly Issue[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const issue of issues.filter(isUnknownKeys)) {
    const holder = issue.path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)[step], copy);
    for (const key of issue.keys) delete (holder as Record<string, unknown>)[key];
  }
  return copy;
}

function describeIssues(issues: readonly Issue[]): string {
  return issues.flatMap(describe).join("; ");
}

function describe(issue: Issue): string[] {
  if (isUnknownKeys(issue)) return issue.keys.map((key) => `${pathText([...issue.path, key])}: unknown field`);
  if (issue.code === "invalid_key") return [`${pathText(issue.path)}: invalid name`];
  const missing = issue.code !== "custom" && issue.input === undefined;
  return [`${pathText(issue.path)}: ${missing ? "is required" : issue.message}`];
}

/** A path as a caller writes it: `commands[0].limits.MaxOrderSize`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
}
