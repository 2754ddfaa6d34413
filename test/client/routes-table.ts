import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import type { FieldKind } from "../../src/client/output-kinds.ts";
import type { Route } from "../../src/client/routes.ts";
import { ADMIN_ERRORS, type Outcome } from "../../src/core/errors.ts";
import { extensions } from "../../src/core/operations/extensions.ts";
import { type Operation, retryClass } from "../../src/core/operations/operation.ts";
import { type CallName, callRecords, operations } from "../../src/core/operations/table.ts";
import { outputFields } from "../cli/facts-table.ts";
import { ROOT } from "../package/build.ts";
import { outputOf } from "../support/output-of.ts";
import { declarations, type Shared, shared, upperCase, withNames } from "../support/shared-values.ts";

/** Outcomes of a mutation after which nothing has changed. */
const NOTHING_CHANGED: ReadonlySet<Outcome> = new Set(["rejected", "denied", "invalid", "not-sent"]);

/** What the client has to know of each operation, from the operation table, and of those beyond the specification. */
export function routes(): Record<CallName, Route> {
  const found = [...callRecords({ operations, extensions })].map(([name, record]) => [name, routeOf(record)]);
  return Object.fromEntries(found) as Record<CallName, Route>;
}

/** Statuses that always mean that a mutation was not applied, from the error table. */
export function notAppliedStatuses(): number[] {
  const errors = Object.values(ADMIN_ERRORS);
  const certain = ({ status }: { status: number }): boolean =>
    errors.every((error) => error.status !== status || NOTHING_CHANGED.has(error.outcome));
  return [...new Set(errors.filter(certain).map(({ status }) => status))].toSorted((a, b) => a - b);
}

function routeOf(operation: Operation): Route {
  const { method, path, output, names } = operation;
  const retry = retryClass(operation);
  const response = responseBodyOf(output);
  const optional = optionalIn(output);
  return {
    method,
    path,
    ...(retry === "safe" && { retry }),
    ...(response && { response }),
    ...(optional.length > 0 && { optional }),
    ...(names && { names }),
  };
}

/** What may lack in a response, or in some of its rows. */
function optionalIn(output: z.ZodType): readonly string[] {
  if (output instanceof z.ZodArray) return optionalIn(output.element as z.ZodType);
  if (!(output instanceof z.ZodObject)) return [];
  return Object.entries(output.shape as Record<string, z.ZodType>).flatMap(([name, field]) =>
    field.safeParse(undefined).success ? [name] : [],
  );
}

/** Kinds of the fields of each operation's output, from the operation table. */
export function outputKinds(): Record<CallName, Record<string, FieldKind>> {
  const found = [...callRecords({ operations, extensions })].map(([name, { output }]) => [
    name,
    outputFields(z.toJSONSchema(output)),
  ]);
  return Object.fromEntries(found) as Record<CallName, Record<string, FieldKind>>;
}

function responseBodyOf(output: z.ZodType): Route["response"] {
  if (output instanceof z.ZodNull) return undefined;
  if (output instanceof z.ZodArray) return "array";
  if (output instanceof z.ZodObject) return "object";
  throw new Error("the client knows no such response");
}

/** Generated sources by their paths, made from the tables and formatted as all sources are. */
export const SOURCES: Readonly<Record<string, () => string>> = {
  "src/client/routes.ts": routesSource,
  "src/client/output-kinds.ts": outputKindsSource,
  "src/core/calls/call-docs.ts": callDocsSource,
};

/** Text of a generated source. */
export function formattedSource(path: string): string {
  const biome = join(ROOT, "node_modules/.bin/biome");
  return outputOf(biome, ["format", `--stdin-file-path=${path}`], {
    cwd: ROOT,
    input: SOURCES[path]?.() ?? "",
  });
}

function routesSource(): string {
  const statuses = notAppliedStatuses().map((status) => `  ${status}, // ${STATUS_CODES[status]}`);
  return `// Generated from src/core/operations/table.ts and src/core/errors.ts by "npm run docs"; do not edit.
// A separate table, because those two load zod and node:http, which a browser must not.
import type { Names, Operation } from "../core/operations/operation.ts";
import type { CallName } from "../core/operations/table.ts";

/** How an operation travels: the fields outside the path in the query of a GET, or in the body of a POST. */
export interface Route extends Pick<Operation, "method" | "path"> {
  /** Of reads; a mutation is never repeated (decision D-ENG 2). */
  readonly retry?: "safe";
  /** What a 200 carries as JSON; absent for nothing. */
  readonly response?: "object" | "array";
  /** Fields of the output that may lack; all others are in every object, also where their value is null. */
  readonly optional?: readonly string[];
  /** Fields of the output that repeat what was requested, by the field of the input. */
  readonly names?: Names;
}

/** How each operation travels. */
export const ROUTES: Readonly<Record<CallName, Route>> = ${JSON.stringify(routes())};

/** Statuses that mean, in a response of the API itself, that a mutation was not applied. */
export const NOT_APPLIED_STATUSES: ReadonlySet<number> = new Set([
${statuses.join("\n")}
]);
`;
}

function outputKindsSource(): string {
  return `// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.
// A separate table, because that one loads zod, which a browser must not.
import type { CallName } from "../core/operations/table.ts";

/** How a value is typed and printed; \`time\` is in epoch milliseconds, \`json\` a list or an object. */
export type FieldKind = "text" | "decimal" | "integer" | "time" | "boolean" | "json";

${declarations("Readonly<Record<string, FieldKind>>", outputsOfSeveral())}
/** Kinds of the fields of each operation's output, or of each element of it. */
export const OUTPUT_KINDS: Readonly<Record<CallName, Readonly<Record<string, FieldKind>>>> = ${withNames(outputKinds(), outputsOfSeveral())};
`;
}

function callDocsSource(): string {
  const members = [...callRecords({ operations, extensions })].map(
    ([name, record]) => `  /**\n${docLines(record).join("\n")}\n   */\n  readonly ${name}: unknown;`,
  );
  return `// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.

/** What an editor shows of each operation: a type that is mapped from this one keeps its comments. */
export interface CallDocs {
${members.join("\n")}
}
`;
}

/** An operation as lines of a comment. */
function docLines({ summary, description, method, path, permission, input }: Operation): string[] {
  const needs = permission === null ? "any user" : `permission \`${permission}\``;
  const head = `${summary} (\`${method} ${path}\`, ${needs}).`;
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: "input" });
  const fields = Object.entries(properties).map(([name, field]) => {
    const { description: text = "", default: value } = field as z.core.JSONSchema.JSONSchema;
    const given = required.includes(name) ? "required" : `${JSON.stringify(value ?? null)} unless given`;
    return `- \`${name}\`, ${given}. ${text}`;
  });
  return [head, "", ...(description === "" ? [] : [description, ""]), ...fields].flatMap(commentLines);
}

/** Breaks a text into lines of a comment. */
function commentLines(text: string): string[] {
  const words = text.replaceAll("*/", "*\\/").split(/\s+/);
  const lines = [words.shift() ?? ""];
  for (const word of words) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length < 130) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `   * ${line}`.trimEnd());
}

/** Outputs that several operations have. */
function outputsOfSeveral(): Shared {
  const outputs = Object.entries(outputKinds()).map(
    ([name, kinds]) => [`${upperCase(name)}_OUTPUT`, JSON.stringify(kinds)] as const,
  );
  return shared(outputs.filter(([, text]) => text !== "{}"));
}
