import { didYouMeanOneOf } from "../../core/values/near-names.ts";
import { connect } from "../connection/connect.ts";
import { EXIT, exitCodeOfCheck, UsageError } from "../exit-codes.ts";
import type { Run } from "../framework/definition.ts";
import { reading } from "../operations/read.ts";
import { textColumns } from "../output/columns.ts";
import { type Format, formatOf, isForPeople } from "../output/format.ts";
import { printRows } from "../output/print.ts";
import { printError } from "../terminal/messages.ts";
import type { Session } from "./session-list.ts";

/**
 * `fix check`: for cron. 0 where all sessions that are expected are connected, else 1, and a line for each that is not; where that cannot
 * be read 6, or 3 when the gateway took the question and gave no answer.
 */
export const run: Run = async ({ arguments: { gateway = "" }, options }) => {
  const expected = namesOf(String(options.expect));
  const { client } = await connect(options);
  const input = { gateway: String(gateway) };
  const check = async (): Promise<number> =>
    report(input.gateway, expected, await client.listFixSessions(input), formatOf(options));
  return reading(client, "listFixSessions", input, check, exitCodeOfCheck);
};

async function report(
  gateway: string,
  expected: readonly string[],
  sessions: readonly Session[],
  format: Format,
): Promise<number> {
  const states = expected.map((id) => ({ id, status: sessions.find(({ sessionId }) => sessionId === id)?.status }));
  const missing = states.filter(({ status }) => status !== "Connected");
  const rows = missing.map(({ id, status }) => ({
    gateway,
    session: id,
    status: status ?? "no such session",
  }));
  for (const { id } of missing.filter(({ status }) => status === undefined)) {
    const ids = sessions.map(({ sessionId }) => sessionId);
    printError(`gateway ${gateway} has no session ${JSON.stringify(id)}${didYouMeanOneOf(id, ids)}`);
  }
  if (rows.length > 0 || !isForPeople(format)) {
    await printRows({ value: rows, rows, columns: textColumns("gateway", "session", "status") }, format);
  }
  return rows.length === 0 ? EXIT.done : EXIT.failed;
}

/** Session ids, separated by commas; what is given twice counts once. */
function namesOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) {
    throw new UsageError(
      "--expect: must name sessions, separated by commas, and one of them is empty; nothing was read",
    );
  }
  return [...new Set(names)];
}
