import { type ChainPosition, readClaim } from "../../audit/chain.ts";
import { type ChainComparison, compareChains } from "../../audit/comparison.ts";
import { isMissing } from "../../audit/disk.ts";
import { readLines } from "../../audit/lines.ts";
import { recordsOf } from "../../audit/read-records.ts";
import {
  type AuditVerification,
  ChainVerifier,
  MAX_PROBLEMS,
  printFinding,
  verifyAuditFiles,
} from "../../audit/verification.ts";
import { escapeControlCharacters } from "../../core/records/record.ts";
import type { StreamLine } from "../../gateway/audit-stream/reader.ts";
import { EXIT, UsageError } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { counted } from "../output/columns.ts";
import { write } from "../terminal/output.ts";
import { type AuditStream, filesToRead, wantsStream, withStream } from "./stream-source.ts";

const HASH = /^[0-9a-f]{64}$/;

/** Result in lines; `isGood` is false where a chain is broken, does not end as expected or is not the one in the stream. */
interface Report {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

/** `audit verify`: verifies files, a stream, or a file against a stream, and prints what was found. Exit code 1 unless all is good. */
export const run: Run = async ({ arguments: { file = [] }, options }) => {
  const { lines, isGood } = await verified([file].flat(), options);
  // What a forged record says must not steer a terminal.
  write(`${escapeControlCharacters(lines).join("\n")}\n`);
  return isGood ? EXIT.done : EXIT.failed;
};

async function verified(files: readonly string[], options: Options): Promise<Report> {
  if (files.length > 0 && wantsStream(options)) {
    if (files.length > 1) throw new UsageError("name one audit file, the current one, to compare with the stream");
    return withStream(options, (stream) => verifyBoth(files, options, stream));
  }
  const found = await filesToRead(files, options);
  if (found) return verifyFiles(found, options);
  if (options.expectLast !== undefined) throw new UsageError("--expect-last: is for files");
  return withStream(options, (stream) => verifyStream(stream, stream.lines()));
}

async function verifyFiles(
  files: readonly string[],
  { expectLast }: Options,
): Promise<Report & Pick<AuditVerification, "files">> {
  const expected = expectLast?.toString().toLowerCase();
  if (expected !== undefined && !HASH.test(expected)) {
    throw new Error("--expect-last: must be a hash as this command prints it, 64 hexadecimal digits");
  }
  const found = await verifyAuditFiles(files, expected).catch((error: NodeJS.ErrnoException) => {
    throw isMissing(error) ? new Error(`there is no audit file ${error.path}`, { cause: error }) : error;
  });
  const unexpected = expected === undefined ? [] : describeEnd(found, expected);
  return {
    lines: [...found.files.map((file) => `file: ${file}`), ...describe(found, "these files"), ...unexpected],
    isGood: found.problemCount === 0 && unexpected.length === 0,
    files: found.files,
  };
}

/** Verifies the chain of each gateway; `seen` is called with each line. */
async function verifyStream(
  stream: AuditStream,
  lines: AsyncIterable<StreamLine>,
  seen: (line: Uint8Array) => void = () => {},
): Promise<Report> {
  const chains = new Map<string, { readonly verifier: ChainVerifier; number: number }>();
  for await (const { gateway, bytes } of lines) {
    seen(bytes);
    const chain = chains.get(gateway) ?? { verifier: new ChainVerifier(), number: 0 };
    chains.set(gateway, chain);
    chain.number += 1;
    chain.verifier.line({ bytes, number: chain.number, complete: true }, gateway, true);
  }
  const found = [...chains].map(([gateway, { verifier }]) => ({ gateway, found: verifier.result([]) }));
  return {
    lines: [
      `stream: ${stream.name}, ${counted(chains.size, "gateway")}`,
      ...found.flatMap(({ gateway, found }) => [`gateway: ${gateway}`, ...describe(found, "the stream")]),
    ],
    isGood: found.every(({ found }) => found.problemCount === 0),
  };
}

/** Verifies a file and what the stream has of it, and compares the two. */
async function verifyBoth(files: readonly string[], options: Options, stream: AuditStream): Promise<Report> {
  const ofFile = await verifyFiles(files, options);
  const named = typeof options.gateway === "string" ? options.gateway : stream.gateway;
  const gateway = named ?? (await gatewayIn(ofFile.files));
  const copies: ChainPosition[] = [];
  const ofStream = await verifyStream(stream, stream.lines({ gateway }), (line) => copies.push(...positionIn(line)));
  // The file is read after the stream: what a gateway writes meanwhile is not missing in it.
  const compared = await compareChains(positionsIn(ofFile.files), copies);
  return {
    lines: [...ofFile.lines, ...ofStream.lines, ...describeComparison(compared)],
    isGood: ofFile.isGood && ofStream.isGood && compared.problems.length === 0,
  };
}

function describeComparison({ problems, notes }: ChainComparison): string[] {
  const verdict = problems.length === 0 ? "the file and the stream agree" : "the file and the stream DIFFER";
  return [...notes.map((note) => `note: ${note}`), ...problems, verdict];
}

/** Name of the gateway in the last record of a trail, where nothing else tells it: a forged record may have another. */
async function gatewayIn(files: readonly string[]): Promise<string> {
  for (const file of files.toReversed()) {
    let last: string | undefined;
    for await (const { record } of recordsOf(file, () => {})) last = record.gateway;
    if (last !== undefined) return last;
  }
  throw new UsageError("no record of the file names its gateway; name it with --gateway");
}

async function* positionsIn(files: readonly string[]): AsyncGenerator<ChainPosition> {
  for (const file of files) for await (const { bytes } of readLines(file)) yield* positionIn(bytes);
}

/** Chain fields of a line; undefined for a line of no chain. */
function positionIn(line: Uint8Array): ChainPosition[] {
  const claim = readClaim(line);
  return claim ? [claim] : [];
}

/** `where` the records are, in words. */
function describe(found: AuditVerification, where: string): string[] {
  const { problems, problemCount, notes, first, last, records, openIntents } = found;
  const chain = problemCount === 0 ? "chain intact" : `chain BROKEN in ${counted(problemCount, "place")}`;
  return [
    ...problems.map((problem) => `BROKEN: ${printFinding(problem)}`),
    ...(problemCount > MAX_PROBLEMS ? [`BROKEN: and ${problemCount - MAX_PROBLEMS} more`] : []),
    ...notes.map((note) => `note: ${printFinding(note)}`),
    ...(first.seq > 0 ? [`note: records 1 to ${first.seq} are not in ${where}; the hash before is ${first.hash}`] : []),
    ...describeIntents(openIntents),
    `${counted(records, "record")}, ${chain}, last hash ${last.hash}`,
  ];
}

function describeIntents(intents: AuditVerification["openIntents"]): string[] {
  if (intents.length === 0) return [];
  const what = `${counted(intents.length, "intent")} without outcome: what happened to it is not recorded`;
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
