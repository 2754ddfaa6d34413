import { type AuditVerification, MAX_PROBLEMS, printFinding, verifyAuditFiles } from "../../audit/verification.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import type { Run } from "../command/definition.ts";
import { EXIT } from "../exit-codes.ts";
import { counted } from "../output/columns.ts";
import { write } from "../terminal/output.ts";

const HASH = /^[0-9a-f]{64}$/;

/** `audit verify`: verifies files and prints what was found. Exit code 1 when the chain is broken or does not end as expected. */
export const run: Run = async ({ arguments: { file = [] }, options: { expectLast } }) => {
  const expected = expectLast?.toString().toLowerCase();
  if (expected !== undefined && !HASH.test(expected)) {
    throw new Error("--expect-last: must be a hash as this command prints it, 64 hexadecimal digits");
  }
  const found = await verifyAuditFiles([file].flat(), expected);
  const unexpected = expected === undefined ? [] : describeEnd(found, expected);
  // What a forged record says must not steer a terminal.
  write(`${escapeControlCharacters([...describe(found), ...unexpected]).join("\n")}\n`);
  return found.problemCount > 0 || unexpected.length > 0 ? EXIT.failed : EXIT.done;
};

function describe(found: AuditVerification): string[] {
  const { problems, problemCount, notes, first, last, records, openIntents } = found;
  const chain = problemCount === 0 ? "chain intact" : `chain BROKEN in ${counted(problemCount, "place")}`;
  return [
    ...found.files.map((file) => `file: ${file}`),
    ...problems.map((problem) => `BROKEN: ${printFinding(problem)}`),
    ...(problemCount > MAX_PROBLEMS ? [`BROKEN: and ${problemCount - MAX_PROBLEMS} more`] : []),
    ...notes.map((note) => `note: ${printFinding(note)}`),
    ...(first.seq > 0
      ? [`note: records 1 to ${first.seq} are not in these files; the hash before is ${first.hash}`]
      : []),
    ...describeIntents(openIntents),
    `${counted(records, "record")}, ${chain}, last hash ${last.hash}`,
  ];
}

function describeIntents(intents: AuditVerification["openIntents"]): string[] {
  if (intents.length === 0) return [];
  const what = `${counted(intents.length, "intent")} without outcome: what became of it is not recorded`;
  return [
    `note: ${what}`,
    ...intents.map(({ id, time, operation, user }) => `  ${id} ${time} ${operation} by ${user}`),
  ];
}

function describeEnd({ last, recordsAfterExpected: after }: AuditVerification, expected: string): string[] {
  if (last.hash === expected) return [];
  if (after === undefined) return ["UNEXPECTED END: no record has the expected hash; records were removed or replaced"];
  return [`UNEXPECTED END: ${counted(after, "record")} after the one with the expected hash`];
}
