import { STATUS_CODES } from "node:http";
import { z } from "zod";
import type { Answer, Route } from "../../src/client/routes.ts";
import { ADMIN_ERRORS, type Outcome } from "../../src/core/errors.ts";
import type { Operation } from "../../src/core/operations/operation.ts";
import { type OperationName, operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";

/** Outcomes of a mutation after which nothing has changed. */
const NOTHING_CHANGED: ReadonlySet<Outcome> = new Set(["rejected", "denied", "invalid", "not-sent"]);

/** What the client has to know of each operation, from the operation table. */
export function routes(): Record<OperationName, Route> {
  const found = operationNames.map((name) => [name, routeOf(operationRecord(operations, name))]);
  return Object.fromEntries(found) as Record<OperationName, Route>;
}

/** Statuses that always mean that a mutation was not applied, from the error table. */
export function notAppliedStatuses(): number[] {
  const errors = Object.values(ADMIN_ERRORS);
  const certain = ({ status }: { status: number }): boolean =>
    errors.every((error) => error.status !== status || NOTHING_CHANGED.has(error.outcome));
  return [...new Set(errors.filter(certain).map(({ status }) => status))].toSorted((a, b) => a - b);
}

function routeOf({ method, path, in: where, lane, output }: Operation): Route {
  return { method, path, in: where, retry: lane === "read" ? "safe" : "never", answer: answerOf(output) };
}

function answerOf(output: z.ZodType): Answer {
  if (output instanceof z.ZodNull) return "empty";
  if (output instanceof z.ZodArray) return "array";
  if (output instanceof z.ZodObject) return "object";
  throw new Error("the client knows no such answer");
}

/** Text of `src/client/routes.ts`, made from the tables. */
export function routesSource(): string {
  const entries = Object.entries(routes()).map(([name, route]) => {
    const fields = Object.entries(route).map(([field, value]) => `    ${field}: ${JSON.stringify(value)},`);
    return `  ${name}: {\n${fields.join("\n")}\n  },`;
  });
  const statuses = notAppliedStatuses().map((status) => `  ${status}, // ${STATUS_CODES[status]}`);
  return `// Generated from src/core/operations/table.ts and src/core/errors.ts by "npm run docs"; do not edit.
// A table of its own, because those two load zod and node:http, which a browser shall not.
import type { Operation } from "../core/operation.ts";
import type { OperationName } from "../core/operations.ts";

/** What a 200 carries: nothing, a JSON object or a JSON array. */
export type Answer = "empty" | "object" | "array";

/** How an operation travels. */
export interface Route extends Pick<Operation, "method" | "path" | "in"> {
  /** \`safe\` for reads; a mutation is never repeated (decision D-ENG 2). */
  readonly retry: "safe" | "never";
  readonly answer: Answer;
}

/** How each operation travels. */
export const ROUTES: Readonly<Record<OperationName, Route>> = {
${entries.join("\n")}
};

/** Statuses that mean, in an answer of the API itself, that a mutation was not applied. */
export const NOT_APPLIED_STATUSES: ReadonlySet<number> = new Set([
${statuses.join("\n")}
]);
`;
}
