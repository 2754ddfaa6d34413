import { z } from "zod";
import { rowKey, rowName, UNLIMITED } from "../../core/operations/row-names.ts";
import { FaultsError } from "../../core/values/basics.ts";
import { decimalString } from "../../core/values/decimal.ts";
import { keysOf } from "../../core/values/projection.ts";
import { readYaml } from "../../engine/simulated/yaml-document.ts";
import { cellText } from "../output/csv.ts";
import type { LimitTable } from "./row-changes.ts";

/** Name of the column of CSV files that holds the projection; the columns of its keys follow, then those of the limits. */
export const PROJECTION_COLUMN = "projection";

/** A file does not hold a risk table; the message has a line `file:line: reason` for each fault. */
export class TableFileError extends FaultsError {
  override readonly name = "TableFileError";
}

/** Content of a file and where its parts stand. */
interface Draft {
  readonly content: unknown;
  lineOf(path: readonly PropertyKey[]): number;
}

/** Every scalar is text: no digit of a limit is lost. */
const limit = z
  .string("must be a decimal, or null for unlimited")
  .transform((text) => (["null", "~", "", UNLIMITED].includes(text) ? null : text))
  .pipe(decimalString().nullable());

const rowSchema = z.strictObject(
  {
    conditions: z
      .record(
        z.string(),
        z.string("must be one value").min(1, 'must not be empty; "*" stands for any value'),
        "must be a map",
      )
      .default({}),
    limits: z.record(z.string(), limit, "must be a map of limits by name"),
  },
  { error: messageFor("a row: conditions and limits") },
);

const tableSchema = z.strictObject(
  {
    projection: z.string("is required; empty for the root table"),
    // Of a CSV without rows not even the projection is known: the plan would delete the row of the root table.
    rows: z
      .array(rowSchema, "must be a list of rows")
      .min(1, "must have a row: without any, all rows would be deleted"),
  },
  { error: messageFor("a map with projection and rows, as risk export writes it") },
);

/** The fault of a part that is something else, or has unknown keys. */
function messageFor(what: string): z.core.$ZodErrorMap {
  return (issue) =>
    issue.code === "unrecognized_keys" ? `has unknown keys: ${issue.keys.join(", ")}` : `must be ${what}`;
}

/**
 * Reads the wanted risk table from the text of a file, YAML or CSV by its name.
 *
 * @throws TableFileError that names every fault with its line.
 */
export function readTable(text: string, file: string): LimitTable {
  const draft = /\.csv$/i.test(file) ? csvDraft(text, file) : yamlDraft(text, file);
  const result = tableSchema.safeParse(draft.content);
  const faults = result.success
    ? rowFaults(result.data)
    : result.error.issues.map(({ path, message }): Fault => ({ path, reason: message }));
  if (result.success && faults.length === 0) return result.data;
  const placed = faults.map(({ path, reason }) => ({ line: draft.lineOf(path), text: `${pathText(path)}${reason}` }));
  placed.sort((a, b) => a.line - b.line);
  throw new TableFileError(placed.map(({ line, text: fault }) => `${file}:${line}: ${fault}`));
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

function pathText(path: readonly PropertyKey[]): string {
  const names = path.filter((step) => typeof step === "string");
  return names.length === 0 ? "" : `${names.join(".")}: `;
}

function yamlDraft(text: string, file: string): Draft {
  const document = readYaml(text);
  if (document.errors.length === 0) return document;
  throw new TableFileError(document.errors.map(({ line, message }) => `${file}:${line}: ${message}`));
}

/** The conditions of a row are exactly the keys of the projection, and no row is there twice. */
function rowFaults({ projection, rows }: LimitTable): Fault[] {
  const keys = keysOf(projection);
  const seen = new Set<string>();
  return rows.flatMap(({ conditions }, index) => {
    const path = ["rows", index];
    const missing = keys.filter((key) => !Object.hasOwn(conditions, key));
    const foreign = Object.keys(conditions).filter((key) => !keys.includes(key));
    const isRepeated = seen.has(rowKey(conditions));
    seen.add(rowKey(conditions));
    return [
      ...missing.map((key) => ({ path, reason: `conditions lack the key ${key} of the projection` })),
      ...foreign.map((key) => ({
        path,
        reason: `${key} in the conditions is not a key of the projection "${projection}"`,
      })),
      ...(isRepeated ? [{ path, reason: `the row ${rowName(conditions)} is there twice` }] : []),
    ];
  });
}

/** An empty cell of a limit is a limit that the row does not name. */
function csvDraft(text: string, file: string): Draft {
  const [head, ...rows] = csvRows(text, file);
  const [first, ...columns] = head?.cells ?? [];
  if (first !== PROJECTION_COLUMN) {
    throw new TableFileError([
      `${file}:1: the first column has to be "${PROJECTION_COLUMN}", as risk export writes it`,
    ]);
  }
  const projection = rows[0]?.cells[0] ?? "";
  const uneven = rows.filter(({ cells }) => cells.length !== columns.length + 1 || cells[0] !== projection);
  if (uneven.length > 0) {
    const reason = `must have ${columns.length + 1} columns, of which the first is "${projection}" as in the first row`;
    throw new TableFileError(uneven.map(({ line }) => `${file}:${line}: ${reason}`));
  }
  const keys = new Set(keysOf(projection));
  const content = {
    projection,
    rows: rows.map(({ cells: [, ...cells] }) => {
      const pairs = columns.map((column, index): [string, string] => [column, cells[index] ?? ""]);
      return {
        conditions: Object.fromEntries(pairs.filter(([column]) => keys.has(column))),
        limits: Object.fromEntries(pairs.filter(([column, cell]) => !keys.has(column) && cell !== "")),
      };
    }),
  };
  return { content, lineOf: ([, index]) => rows[Number(index)]?.line ?? 1 };
}

/** The first line of a table whose cells something else separates, in a file that a sheet has saved; it may name its separator. */
const OTHER_SEPARATOR = /^(?:sep=.\r?\n)?"?projection"?([;\t|])/i;

/** The rows of a file, their cells read as `risk export` writes them. */
function csvRows(text: string, file: string): CsvRow[] {
  const separator = OTHER_SEPARATOR.exec(text)?.[1];
  if (separator !== undefined) {
    const name = separator === "\t" ? "tabs" : JSON.stringify(separator);
    throw new TableFileError([
      `${file}:1: the cells are separated by ${name}; save it with commas, and decimals with points`,
    ]);
  }
  try {
    return parseCsv(text).map(({ line, cells }) => ({ line, cells: cells.map(cellText) }));
  } catch (error) {
    if (error instanceof SyntaxError) throw new TableFileError([`${file}: ${error.message}`]);
    throw error;
  }
}

/** A record of a CSV file, and the line on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** One cell with what ends it: quoted, with doubled quotes inside, or plain. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Reads CSV as RFC 4180 has it: commas, cells in quotes where they have to be; a byte order mark and empty lines do not count. */
export function parseCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "");
  const rows: CsvRow[] = [];
  let line = 1;
  let row: { line: number; cells: string[] } = { line, cells: [] };
  CELL.lastIndex = 0;
  while (CELL.lastIndex < source.length) {
    const cell = CELL.exec(source);
    if (!cell) throw new SyntaxError(`line ${line}: a quote stands where none may be, or is not closed`);
    const [whole, quoted, plain = "", end] = cell;
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    if (row.cells.length > 1 || row.cells[0] !== "") rows.push(row);
    row = { line, cells: [] };
  }
  // A comma at the very end of the text is followed by an empty cell.
  if (row.cells.length > 0) rows.push({ ...row, cells: [...row.cells, ""] });
  return rows;
}
