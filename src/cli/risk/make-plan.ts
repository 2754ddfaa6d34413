import { DEFAULT_MAX_BODY_BYTES } from "../../core/load/held-bytes.ts";
import { DEFAULT_MAX_RISK_COMMANDS, MAX_LIMITS } from "../../core/operations/risk.ts";
import { oddityOf, rowName, UNLIMITED } from "../../core/operations/row-names.ts";
import { grouped, linesOf } from "../../core/values/basics.ts";
import { connect } from "../connection/connect.ts";
import { UsageError } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { readWhole } from "../operations/state.ts";
import { type Column, counted, keptColumns, type Row, SHORT, textColumns, UNCUT } from "../output/columns.ts";
import { formatOf } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { textOfFile } from "../process.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { differenceOf, type PlannedCommand } from "./difference.ts";
import { planOf, type RiskUpdate, updateOf } from "./plan.ts";
import type { Effect } from "./row-changes.ts";
import { readTable, TableFileError } from "./table-file.ts";

/** `risk plan`: how a file of limits differs from the live table. Changes nothing. */
export const run: Run = async ({ arguments: { file = "" }, options }) => {
  const wanted = tableIn(textOfFile(String(file), `${file}: cannot be read, nothing was sent`), String(file));
  const format = formatOf(options);
  const { client } = await connect(options);
  const live = await readWhole((call) => client.getRiskTable({ projection: wanted.projection }, call));
  const { changes, notes } = differenceOf(live, wanted);
  for (const note of notes) warn(note);
  const plan = planOf(live, { changes });
  if (changes.length === 0 && (format === "table" || format === "wide")) write("no changes\n");
  else await printRows({ value: plan, rows: changeRows(changes), columns: CHANGE_COLUMNS }, format);
  for (const { type, conditions } of changes) {
    const oddity = type === "INSERT" ? oddityOf(conditions) : undefined;
    if (oddity !== undefined) warn(`${oddity} Is that intended?`);
  }
  if (changes.length > 0) printInfo(changeSummary(changes));
  for (const [amount, bound] of excessOf(updateOf(plan)))
    warn(`${amount}: risk apply sends the plan in one update, and a gateway takes ${bound}`);
};

/** Default limits of a gateway that an update exceeds, with the amounts: a plan is applied all or none, in one request. */
function excessOf(update: RiskUpdate): [amount: string, bound: string][] {
  const commands = update.commands.length;
  const limits = update.commands.reduce((sum, command) => sum + Object.keys(command.limits ?? {}).length, 0);
  const bytes = Buffer.byteLength(JSON.stringify(update));
  const unlessSet = (setting: string, most: string): string =>
    `as many as its setting ${setting} says, ${most} unless set`;
  const bounds: [count: number, most: number, what: string, bound: string][] = [
    [
      commands,
      DEFAULT_MAX_RISK_COMMANDS,
      "commands",
      unlessSet("admin.api.max-risk-commands", grouped(DEFAULT_MAX_RISK_COMMANDS)),
    ],
    [limits, MAX_LIMITS, "limits", `${grouped(MAX_LIMITS)} in all, more only where it takes more commands`],
    [bytes, DEFAULT_MAX_BODY_BYTES, "bytes", unlessSet("admin.api.max-body-size", grouped(DEFAULT_MAX_BODY_BYTES))],
  ];
  return bounds.flatMap(([count, most, what, bound]) => (count > most ? [[`${grouped(count)} ${what}`, bound]] : []));
}

function tableIn(text: string, file: string): ReturnType<typeof readTable> {
  try {
    return readTable(text, file);
  } catch (cause) {
    if (!(cause instanceof TableFileError || cause instanceof SyntaxError)) throw cause;
    throw new UsageError([...linesOf(cause), "nothing was sent"], { cause });
  }
}

export const CHANGE_COLUMNS: readonly Column[] = [
  ...keptColumns(UNCUT, "effect"),
  ...keptColumns(SHORT, "row", "limit"),
  { name: "from", kind: "decimal", keep: UNCUT },
  { name: "to", kind: "decimal", keep: UNCUT },
  ...textColumns("change", "comparedWith"),
];

export function changeRows(changes: readonly PlannedCommand[]): Row[] {
  return changes.flatMap(({ type, conditions, limits }): Row[] => {
    const row = { change: type.toLowerCase(), row: rowName(conditions) };
    if (limits.length === 0) return [{ ...row, effect: type === "INSERT" ? "new" : "looser" }];
    return limits.map(({ name, from, to, effect, comparedWith }) => ({
      ...row,
      limit: name,
      from: cell(from),
      // A limit that a new row does not name is unlimited.
      to: cell(type === "INSERT" ? (to ?? null) : to),
      effect,
      comparedWith: comparedWith ? rowName(comparedWith) : null,
    }));
  });
}

function cell(limit: string | null | undefined): string | null {
  return limit === null ? UNLIMITED : (limit ?? null);
}

export function changeSummary(changes: readonly PlannedCommand[]): string {
  const count = (wanted: Effect): number =>
    changes.flatMap(({ limits }) => limits).filter(({ effect }) => effect === wanted).length;
  return `${counted(changes.length, "row")}: ${count("tighter")} tighter, ${count("looser")} looser, ${count("new")} new`;
}
