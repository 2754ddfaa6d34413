import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { z } from "zod";
import { operationRecord, operations } from "../../src/core/operations/table.ts";
import { UPDATES, writeText } from "../docs/bus-files.ts";
import { generatedDocument, operationsOf } from "../openapi/committed.ts";
import { confirmations, notAppliedStatuses, routes, routesSource } from "./routes-table.ts";

const FILE = new URL("../../src/client/routes.ts", import.meta.url);

if (UPDATES) writeText("src/client/routes.ts", routesSource());
// Under a name of its own: another test may have made Vite keep the file as it was before.
const table: typeof import("../../src/client/routes.ts") = await import(/* @vite-ignore */ `${FILE.href}?written`);
const { CONFIRMATIONS, NOT_APPLIED_STATUSES, ROUTES } = table;

it("pin: the client's routes say what the operation table says, and its statuses what the error table says", () => {
  expect(ROUTES).toEqual(routes());
  expect(CONFIRMATIONS).toEqual(confirmations());
  expect([...NOT_APPLIED_STATUSES]).toEqual(notAppliedStatuses());
  expect(readFileSync(FILE, "utf8")).toBe(routesSource());
});

it("pin: D-DOC 1: the client repeats what the document calls safe, and nothing else", () => {
  const documented = operationsOf(generatedDocument()).map(({ operation }) => [
    operation.operationId,
    operation["x-retry"],
  ]);
  const known = Object.entries(ROUTES).map(([name, { retry }]) => [name, retry]);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(documented));
});

it.each(Object.entries(confirmations()))(
  "%s is confirmed by a read that takes its target and shows the fields that are looked at",
  (_, { read, target, shown }) => {
    const { lane, input, output } = operationRecord(operations, read);
    expect(lane).toBe("read");
    expect(Object.keys(input.shape)).toEqual(target);
    expect(Object.keys((output as z.ZodObject).shape)).toEqual(expect.arrayContaining(shown.map(({ field }) => field)));
  },
);
