import { UNLIMITED } from "../../core/operations/row-names.ts";
import { keysOf } from "../../core/values/projection.ts";
import { connect } from "../connection/connect.ts";
import type { Run } from "../framework/definition.ts";
import { readWhole } from "../operations/state.ts";
import { type Column, type Row, textColumns } from "../output/columns.ts";
import { yamlText } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { write } from "../terminal/output.ts";
import type { LimitTable } from "./row-changes.ts";
import { PROJECTION_COLUMN } from "./table-file.ts";

/** `risk export`: a risk table as a file that `risk plan` takes. */
export const run: Run = async ({ arguments: { projection = "" }, options }) => {
  const { client } = await connect(options);
  const table = await readWhole((call) => client.getRiskTable({ projection: String(projection) }, call));
  if (options.output === "csv")
    await printRows({ value: table, rows: rowsOf(table), columns: limitColumns(table) }, "csv");
  else write(await yamlOf(table));
};

/** Every limit on its own line, so that a version control system shows what changed. */
export async function yamlOf({ projection, rows }: LimitTable): Promise<string> {
  return `${HEAD}${await yamlText({ projection, rows })}`;
}

const HEAD = `# Risk limits. "trading-admin risk plan FILE" shows how they differ from the live table; null is unlimited.
# A row that is not here is deleted, a limit that a row does not name stays as it is.
`;

/** A column for the projection, for each of its keys and for each limit. */
function limitColumns({ projection, rows }: LimitTable): Column[] {
  const limits = new Set(rows.flatMap((row) => Object.keys(row.limits)));
  return [
    ...textColumns(PROJECTION_COLUMN, ...keysOf(projection)),
    ...[...limits].map((name): Column => ({ name, kind: "decimal" })),
  ];
}

/** A limit that a row does not have is an empty cell. */
export function rowsOf({ projection, rows }: LimitTable): Row[] {
  return rows.map(({ conditions, limits }) => {
    const cells = Object.entries(limits).map(([name, limit]) => [name, limit ?? UNLIMITED]);
    return { [PROJECTION_COLUMN]: projection, ...conditions, ...Object.fromEntries(cells) };
  });
}
