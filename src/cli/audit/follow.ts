import { setTimeout as pause } from "node:timers/promises";
import { TrailFollower } from "../../audit/follow.ts";
import { type AuditHistory, isSettled, type RecordedRequest } from "../../audit/history.ts";
import type { Run } from "../command/definition.ts";
import { printEvent, streamFormatOf } from "../output/format.ts";
import { terminated } from "../process.ts";
import { outputLost } from "../terminal/output.ts";
import { say, warn } from "../terminal/say.ts";
import { auditFilter } from "./filter.ts";
import { lastRequests, type Matches, unreadable } from "./select.ts";
import { lineCountOf, requestLine } from "./show.ts";

const INTERVAL_MS = 1_000;

/** `audit follow`: the last requests of a trail, and then each that is added, until SIGINT. */
export const run: Run = async ({ arguments: { file = "" }, options }) => {
  const path = String(file);
  const matches = auditFilter(options, Date.now());
  const format = streamFormatOf(options);
  const { requests, warnings, history, lastSeq } = await lastRequests(path, lineCountOf(options), matches);
  for (const warning of warnings) warn(warning);
  const print = (request: RecordedRequest): void => printEvent({ text: requestLine(request), value: request }, format);
  for (const request of requests) print(request);
  say(`following ${path}; Ctrl-C ends`);
  const follower = new TrailFollower(path, lastSeq, (line) => warn(unreadable(line)));
  const news = new RequestNews(history, matches);
  const ended = terminated(outputLost);
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    for (const request of news.of(await follower.read())) print(request);
    await Promise.race([pause(INTERVAL_MS), ended]);
  }
  await follower.close();
};

/** What there is to say of requests whose records go on coming. */
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
  of(records: Awaited<ReturnType<TrailFollower["read"]>>): RecordedRequest[] {
    const before = this.#open;
    this.#open = new Map();
    const news = new Map<string, RecordedRequest>();
    for (const { record } of records) {
      const request = this.#history.add(record);
      before.delete(request.id);
      (request.outcome === "open" ? this.#open : news).set(request.id, request);
      if (request.outcome !== "open") this.#open.delete(request.id);
      if (isSettled(request)) this.#history.forget(request.id);
    }
    return [...before.values(), ...news.values()].filter(this.#matches);
  }
}
