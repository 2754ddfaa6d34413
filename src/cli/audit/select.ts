import { resolve } from "node:path";
import { byTime, EngineOrder } from "../../audit/engine-order.ts";
import { AuditHistory, type RecordedRequest } from "../../audit/history.ts";
import { contentOf, type FiledRecord, recordsOf, type UnreadableLine } from "../../audit/read-records.ts";
import { isThere, wholeTrail } from "../../audit/rotation.ts";
import { inTrails } from "../../audit/same-trail.ts";
import type { AuditRecord } from "../../core/records/record.ts";
import type { StreamLine } from "../../gateway/audit-stream/reader.ts";
import { UsageError } from "../exit-codes.ts";

export interface Selection {
  /** In the order of time. */
  readonly requests: readonly RecordedRequest[];
  /** Warnings: lines that could not be read, a file that is missing. */
  readonly warnings: readonly string[];
}

export interface TrailEnd extends Selection {
  /** Everything that was read, to continue from. */
  readonly history: AuditHistory;
  /** Number of the last record that was read; 0 when there is none. */
  readonly lastSeq: number;
}

export type Matches = (request: RecordedRequest) => boolean;

/**
 * The requests of audit files that match, joined from their records. Each file stands for the whole trail that it is the current
 * one of; those of several gateways are put together by the engine's time.
 */
export async function selectRequests(paths: readonly string[], matches: Matches): Promise<Selection> {
  const history = new AuditHistory();
  const warnings: string[] = [];
  const files = new Map<string, string>();
  for (const path of paths) for (const file of await filesOf(path, warnings)) files.set(resolve(file), file);
  const places = [...files.keys()];
  // The files of one trail are found in its order.
  const ordered = paths.length === 1 ? places.map((path) => ({ path, trail: "" })) : await inTrails(places);
  for (const { path, trail } of ordered)
    for (const { record } of await recordsIn(files.get(path) ?? path, warnings)) history.add(record, trail);
  return merged(history.requests(), matches, warnings);
}

/** The same for the records of a stream. */
export async function selectFromStream(
  lines: AsyncIterable<StreamLine>,
  matches: Matches,
): Promise<Selection & Pick<TrailEnd, "history"> & { readonly lastPlace: number }> {
  const history = new AuditHistory();
  const warnings: string[] = [];
  let lastPlace = 0;
  for await (const line of lines) {
    lastPlace = line.place;
    const record = recordOf(line, (warning) => warnings.push(warning));
    if (record) history.add(record, line.gateway);
  }
  return { ...merged(history.requests(), matches, warnings), history, lastPlace };
}

/** The record in a line of a stream; undefined for events of the file itself, and for what is not a record, which is reported. */
export function recordOf(
  { gateway, bytes }: StreamLine,
  onProblem: (warning: string) => void,
): AuditRecord | undefined {
  const content = contentOf(bytes);
  if (content === undefined) return undefined;
  if ("record" in content) return content.record;
  onProblem(`a message of ${gateway} ${content.problem}; audit verify says more`);
  return undefined;
}

/** The requests of one gateway in the order of its time, those of several in that of the engine's. */
function merged(all: readonly RecordedRequest[], matches: Matches, warnings: readonly string[]): Selection {
  const requests = all.filter(matches);
  if (all.every(({ gateway }) => gateway === all[0]?.gateway)) return { requests: requests.toSorted(byTime), warnings };
  const order = new EngineOrder(all);
  return { requests: order.sort(requests), warnings: [...warnings, ...[...order.disagreeing].map(clockWarning)] };
}

function clockWarning([gateway, offsetMs]: [string, number]): string {
  const distance = `${(Math.abs(offsetMs) / 1_000).toFixed(1)} s ${offsetMs > 0 ? "behind" : "ahead of"}`;
  return `the clock of ${gateway} was up to ${distance} the engine's; requests are in the order of the engine's time`;
}

/** The last `count` requests of a trail that match. Older files are read only as far as they are needed. */
export async function lastRequests(path: string, count: number, matches: Matches): Promise<TrailEnd> {
  const warnings: string[] = [];
  let records: FiledRecord[] = [];
  let end: TrailEnd = { requests: [], warnings, history: new AuditHistory(), lastSeq: 0 };
  for (const file of (await filesOf(path, warnings)).toReversed()) {
    records = [...(await recordsIn(file, warnings)), ...records];
    const history = new AuditHistory();
    for (const { record } of records) history.add(record);
    const requests = count === 0 ? [] : history.requests().filter(matches).toSorted(byTime).slice(-count);
    end = { requests, warnings, history, lastSeq: records.at(-1)?.seq ?? 0 };
    // The intent of the first one may be at the end of the file before.
    if (requests.length >= count && requests.every(({ intentRecorded }) => intentRecorded)) break;
  }
  return end;
}

async function filesOf(path: string, warnings: string[]): Promise<readonly string[]> {
  const { files, end } = await wholeTrail(path);
  if (files.length === 1 && !(await isThere(path))) throw new UsageError(`there is no audit file ${path}`);
  if (end) warnings.push(`${end.file}: ${end.message}`);
  return files;
}

async function recordsIn(file: string, warnings: string[]): Promise<FiledRecord[]> {
  const records: FiledRecord[] = [];
  for await (const record of recordsOf(file, (line) => warnings.push(unreadable(line)))) records.push(record);
  return records;
}

export function unreadable({ file, line, problem }: UnreadableLine): string {
  return `${file}${line > 0 ? `:${line}` : ""}: ${problem}; audit verify says more`;
}
