import type { Page } from "playwright-core";

/** What the thread of a page did. */
interface ThreadWork {
  /** Milliseconds of processor time of each piece of work that nothing can interrupt, the longest first. */
  readonly tasks: readonly number[];
  /** Where a script had the page laid out immediately, since it asked where something is: functions, the innermost first. */
  readonly forcedLayouts: readonly string[];
}

/** Of what happens in a browser, in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** Processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly beginData?: { readonly stackTrace?: readonly StackFrame[] } };
}

interface StackFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

const CATEGORIES = [
  "toplevel",
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "disabled-by-default-devtools.timeline.stack",
];
const SCRIPTS: ReadonlySet<string> = new Set(["EvaluateScript", "FunctionCall", "RunMicrotasks"]);

/** Does something with a page, and says what that cost the page's thread. */
export async function threadWork(page: Page, work: () => Promise<unknown>): Promise<ThreadWork> {
  const browser = page.context().browser();
  if (!browser) throw new Error("a page without a browser of its own cannot be traced");
  await browser.startTracing(page, { categories: CATEGORIES });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const events = eventsOfPage(traceEvents);
  const scripts = events.filter(({ name }) => SCRIPTS.has(name));
  const isForced = ({ ts }: TraceEvent): boolean =>
    scripts.some((script) => script.ts <= ts && ts < script.ts + (script.dur ?? 0));
  return {
    tasks: tasksOf(events),
    forcedLayouts: events.filter((event) => event.name === "Layout" && isForced(event)).map(placeOf),
  };
}

function placeOf({ args: { beginData } }: TraceEvent): string {
  const frames = beginData?.stackTrace ?? [];
  return frames.map(({ functionName, url, lineNumber }) => `${functionName} (${url}:${lineNumber})`).join(" < ");
}

/** A browser has a thread for each page, and some in reserve: that of the page did most. */
function eventsOfPage(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const threads = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const each = threads.map(({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid));
  const workOf = (own: readonly TraceEvent[]): number => tasksOf(own).reduce((total, ms) => total + ms, 0);
  return each.toSorted((a, b) => workOf(b) - workOf(a))[0] ?? [];
}

function tasksOf(events: readonly TraceEvent[]): number[] {
  const tasks = events.filter(({ name }) => name === "RunTask");
  return tasks.map(({ tdur = 0 }) => tdur / 1_000).toSorted((a, b) => b - a);
}
