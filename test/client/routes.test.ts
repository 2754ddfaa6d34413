import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { z } from "zod";
import { CONFIRMATIONS } from "../../src/core/operations/confirmations.ts";
import { type OperationName, operationRecord, operations } from "../../src/core/operations/table.ts";
import { UPDATES, writeText } from "../docs/bus-files.ts";
import { generatedDocument, operationsOf } from "../openapi/committed.ts";
import { formattedSource, notAppliedStatuses, outputKinds, routes, SOURCES } from "./routes-table.ts";

const ROUTES_FILE = fileOf("src/client/routes.ts");

if (UPDATES) for (const path of Object.keys(SOURCES)) writeText(path, formattedSource(path));
// Under other names: another test may have made Vite keep the files as they were before.
const table: typeof import("../../src/client/routes.ts") = await import(
  /* @vite-ignore */ `${ROUTES_FILE.href}?written`
);
const outputs: typeof import("../../src/client/output-kinds.ts") = await import(
  /* @vite-ignore */ `${fileOf("src/client/output-kinds.ts").href}?written`
);
const { NOT_APPLIED_STATUSES, ROUTES } = table;

function fileOf(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

it("pin: the client's routes say what the operation table says, and its statuses what the error table says", () => {
  expect(ROUTES).toEqual(routes());
  expect(outputs.OUTPUT_KINDS).toEqual(outputKinds());
  expect([...NOT_APPLIED_STATUSES]).toEqual(notAppliedStatuses());
  for (const path of Object.keys(SOURCES)) expect(readFileSync(fileOf(path), "utf8")).toBe(formattedSource(path));
});

it("pin: D-DOC 1: the client repeats what the document calls safe, and nothing else", () => {
  const documented = operationsOf(generatedDocument()).map(({ operation }) => [
    operation.operationId,
    operation["x-retry"],
  ]);
  const known = Object.entries(ROUTES).map(([name, { retry = "never" }]) => [name, retry]);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(documented));
});

it.each(Object.entries(CONFIRMATIONS))(
  "%s is confirmed by a read that takes its target and shows the fields that are looked at",
  (name, { read, target, shown }) => {
    const command = operationRecord(operations, name as OperationName);
    expect([command.confirmedBy, command.target]).toEqual([CONFIRMATIONS[name as keyof typeof CONFIRMATIONS], target]);
    const { lane, input, output } = operationRecord(operations, read);
    expect(lane).toBe("read");
    expect(Object.keys(input.shape)).toEqual(target);
    expect(Object.keys((output as z.ZodObject).shape)).toEqual(expect.arrayContaining(shown.map(({ field }) => field)));
  },
);
