import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { committedDocument, operationsOf } from "../openapi/committed.ts";
import { notAppliedStatuses, routes, routesSource } from "./routes-table.ts";

const FILE = new URL("../../src/client/routes.ts", import.meta.url);

if (process.env.UPDATE_DOCS === "1") writeFileSync(FILE, routesSource());
const { NOT_APPLIED_STATUSES, ROUTES } = await import("../../src/client/routes.ts");

it("pin: the client's routes say what the operation table says, and its statuses what the error table says", () => {
  expect(ROUTES).toEqual(routes());
  expect([...NOT_APPLIED_STATUSES]).toEqual(notAppliedStatuses());
  expect(readFileSync(FILE, "utf8")).toBe(routesSource());
});

it("pin: D-DOC 1: the client repeats what the document calls safe, and nothing else", () => {
  const documented = operationsOf(committedDocument()).map(({ operation }) => [
    operation.operationId,
    operation["x-retry"],
  ]);
  const known = Object.entries(ROUTES).map(([name, { retry }]) => [name, retry]);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(documented));
});
