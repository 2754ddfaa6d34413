import { AuditHistory, type RecordedRequest } from "../../audit/history.ts";
import { recordsOf, type UnreadableLine } from "../../audit/read-records.ts";
import { wholeTrail } from "../../audit/trail.ts";

/** What was found in audit files. */
export interface Selection {
  /** In the order of time. */
  readonly requests: readonly RecordedRequest[];
  /** What the reader should know: lines that could not be read, a file that is missing. */
  readonly warnings: readonly string[];
}

/**
 * The requests of audit files that match, joined from their records. Each file stands for the whole trail that it is the current
 * one of; files of several gateways are put together by time.
 */
export async function selectRequests(
  paths: readonly string[],
  matches: (request: RecordedRequest) => boolean,
): Promise<Selection> {
  const history = new AuditHistory();
  const warnings: string[] = [];
  const trails = await Promise.all(paths.map((path) => wholeTrail(path)));
  for (const { end } of trails) if (end) warnings.push(`${end.file}: ${end.message}`);
  for (const file of new Set(trails.flatMap(({ files }) => files))) {
    for await (const { record } of recordsOf(file, (line) => warnings.push(unreadable(line)))) history.add(record);
  }
  const requests = history.requests().filter(matches);
  return { requests: requests.toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)), warnings };
}

/** A line that is no record, in words. */
export function unreadable({ file, line, problem }: UnreadableLine): string {
  return `${file}${line > 0 ? `:${line}` : ""}: ${problem}; audit verify says more`;
}
