import { setTimeout as pause } from "node:timers/promises";
import { TrailFollower } from "../../audit/follow.ts";
import { type AuditHistory, isSettled, type RecordedRequest, requestKey } from "../../audit/history.ts";
import type { AuditRecord } from "../../core/records/record.ts";
import { messageOf } from "../../core/values/basics.ts";
import type { Options, Run } from "../framework/definition.ts";
import { printEvent, streamFormatOf } from "../output/format.ts";
import { terminated } from "../process.ts";
import { printInfo, warn } from "../terminal/messages.ts";
import { outputLost } from "../terminal/output.ts";
import { auditFilter, operationsByWords } from "./filter.ts";
import { lastRequests, type Matches, recordOf, selectFromStream, unreadable } from "./select.ts";
import { lineCountOf, requestLine } from "./show.ts";
import { type AuditStream, filesToRead, withStream } from "./stream-source.ts";

const INTERVAL_MS = 1_000;

/** `audit follow`: the last requests of a trail, and then each that is added, until SIGINT. */
export const run: Run = async ({ arguments: { file = [] }, options, table }) => {
  const matches = auditFilter(options, Date.now(), operationsByWords(table));
  const [path] = (await filesToRead([file].flat(), options)) ?? [];
  if (path === undefined) return followStream(options, matches);
  const format = streamFormatOf(options);
  const { requests, warnings, history, lastSeq } = await lastRequests(path, lineCountOf(options), matches);
  for (const warning of warnings) warn(warning);
  const print = (request: RecordedRequest): void => printEvent({ text: requestLine(request), value: request }, format);
  for (const request of requests) print(request);
  printInfo(`following ${path}; Ctrl-C ends`);
  const follower = new TrailFollower(path, lastSeq, (line) => warn(unreadable(line)));
  const news = new RequestNews(history, matches);
  const ended = terminated(outputLost);
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    for (const request of news.of((await follower.read()).map(({ record }) => ({ record })))) print(request);
    await Promise.race([pause(INTERVAL_MS), ended]);
  }
  await follower.close();
};

/** The same for a stream. A connection that is lost is made again. */
async function followStream(options: Options, matches: Matches): Promise<void> {
  const count = lineCountOf(options);
  const format = streamFormatOf(options);
  const print = (request: RecordedRequest): void => printEvent({ text: requestLine(request), value: request }, format);
  const found = await withStream(options, async (stream) => {
    const selected = await selectFromStream(stream.lines(), matches);
    printInfo(`following the stream ${stream.name}; Ctrl-C ends`);
    return selected;
  });
  for (const warning of found.warnings) warn(warning);
  for (const request of count === 0 ? [] : found.requests.slice(-count)) print(request);
  const news = new RequestNews(found.history, matches);
  const ended = terminated(outputLost);
  const added = new AddedRecords(options, found.lastPlace);
  void ended.then(() => added.stop());
  const reading = added.read();
  while (!added.isStopped) {
    for (const request of news.of(added.take())) print(request);
    await Promise.race([pause(INTERVAL_MS), ended]);
  }
  await reading;
}

/** A record that has come; the gateway of its trail where there are several. */
interface AddedRecord {
  readonly record: AuditRecord;
  readonly trail?: string;
}

/** Reads what is added to a stream, over new connections where one is lost. */
class AddedRecords {
  readonly #options: Options;
  readonly #records: AddedRecord[] = [];
  readonly #ended = new AbortController();
  #place: number;

  constructor(options: Options, after: number) {
    this.#options = options;
    this.#place = after;
  }

  /** The records that were added since the last call. */
  take(): AddedRecord[] {
    return this.#records.splice(0);
  }

  get isStopped(): boolean {
    return this.#ended.signal.aborted;
  }

  stop(): void {
    this.#ended.abort();
  }

  async read(): Promise<void> {
    while (!this.isStopped) {
      try {
        await withStream(this.#options, (stream) => this.#readOn(stream), this.#ended.signal);
      } catch (error) {
        if (!this.isStopped) warn(`the stream cannot be read now: ${messageOf(error)}`);
      }
      if (!this.isStopped) await pause(INTERVAL_MS);
    }
  }

  async #readOn(stream: AuditStream): Promise<void> {
    for await (const line of stream.lines({ after: this.#place, follow: true })) {
      this.#place = line.place;
      const record = recordOf(line, warn);
      if (record) this.#records.push({ record, trail: line.gateway });
    }
  }
}

/** Lines to print for requests whose records keep arriving. */
class RequestNews {
  readonly #history: AuditHistory;
  readonly #matches: Matches;
  /** Requests without outcome, which most have a moment later. */
  #open = new Map<string, RecordedRequest>();

  constructor(history: AuditHistory, matches: Matches) {
    this.#history = history;
    this.#matches = matches;
  }

  /** Requests to print: those with an outcome, and those that were without one the last time already. */
  of(added: readonly AddedRecord[]): RecordedRequest[] {
    const before = this.#open;
    this.#open = new Map();
    const news = new Map<string, RecordedRequest>();
    for (const { record, trail = "" } of added) {
      const request = this.#history.add(record, trail);
      const key = requestKey(request.id, trail);
      before.delete(key);
      (request.outcome === "open" ? this.#open : news).set(key, request);
      if (request.outcome !== "open") this.#open.delete(key);
      if (isSettled(request)) this.#history.forget(request.id, trail);
    }
    return [...before.values(), ...news.values()].filter(this.#matches);
  }
}
