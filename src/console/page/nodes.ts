import { AdminClientError } from "../../client/errors.ts";
import { unknownNodeAdvice } from "../../client/node-advice.ts";
import type { Output } from "../../core/operations/table.ts";
import { covers, pathSteps } from "../../core/operations/target.ts";
import { since } from "../../pages/words.ts";
import type { ConsoleApi } from "./api.ts";
import type { Polling } from "./polling.ts";
import { FirstSeen, Reading } from "./reading.ts";
import { remember, remembered } from "./remembered.ts";

type TradingState = Output<"getTradingStatus">;
type Halts = Output<"listHalts">;

/** Where nothing lists what is halted. */
const NO_LIST: Halts = { complete: false, halts: [] };

/** The kill switch of a node, as it was read last. */
export interface NodeState {
  readonly path: string;
  /** Undefined while it is not known. */
  readonly halted: boolean | undefined;
  readonly reason: string | null;
  /** Epoch milliseconds of the halt, and who halted; null where nobody knows, undefined while the list of halts is older. */
  readonly since: number | null | undefined;
  readonly by: string | null | undefined;
  /** Who repeated the halt. */
  readonly repeated?: Halts["halts"][number]["repeated"];
  readonly readAt: number | undefined;
  /** Why the last read failed. */
  readonly failure: unknown;
}

/** Milliseconds after which the list of halts is read again. */
export const HALTS_MS = 6_000;
/** Time between two reads of nodes that somebody named, whatever their number: they must not keep the rest of the page waiting. */
const TURN_MS = 6_000;
/** Nodes that are read immediately after an outage; others follow at the pace of polling. */
const MAX_IMMEDIATE = 20;

/** Halts as the gateway lists them, and the nodes that somebody named on this page. */
export class Nodes {
  readonly #api: ConsoleApi;
  readonly #root: Reading<TradingState>;
  readonly #named = new Map<string, Reading<TradingState>>();
  readonly #advice = new Map<string, string>();
  readonly #hidden = new Set<string>();
  readonly #seen = new FirstSeen();
  readonly halts: Reading<Halts>;
  /** Called with each state that was read, and when nodes come and go. */
  onChange: () => void = () => {};

  constructor(api: ConsoleApi, polling: Polling, root: Reading<TradingState>) {
    this.#api = api;
    this.#root = root;
    this.halts = new Reading(() => api.client.listHalts().catch(noListOf));
    this.halts.onChange(() => this.onChange());
    root.onChange(() => this.#noteHalts());
    for (const path of remembered().nodes ?? []) this.#name(path);
    const periodMs = (): number => (this.#named.size === 0 ? Number.POSITIVE_INFINITY : TURN_MS);
    polling.add({
      reading: new Reading(async () => this.#inTurn()[0]?.refresh()),
      periodMs,
      wanted: () => true,
    });
  }

  /** Nodes that are listed as halted, and those that were named; but for those that were hidden and are not halted. */
  get all(): readonly NodeState[] {
    const listed = this.#listed.map(({ projectionPath }) => projectionPath).filter((path) => path !== "");
    const states = [...new Set([...listed, ...this.#named.keys()])].map((path) => this.#stateOf(path));
    return states.filter(({ path, halted }) => halted || !this.#hidden.has(path));
  }

  get halted(): readonly NodeState[] {
    return this.all.filter(({ halted }) => halted);
  }

  /** Since when everything is halted and who halted it, where the gateway has recorded it. */
  get root(): Halts["halts"][number] | undefined {
    return this.#listed.find(({ projectionPath }) => projectionPath === "");
  }

  /** Before a sentence on what was read, while trading cannot be read: `As of 08:58:26 UTC: `; otherwise empty. */
  get asOf(): string {
    const { readAt, failure } = this.#root;
    if (failure === undefined || readAt === undefined) return "";
    return `As of ${since(Math.min(readAt, this.halts.readAt ?? readAt))}: `;
  }

  /** The halt of exactly this path, "" for everything; undefined where none is known. */
  haltOf(path: string): Pick<NodeState, "since" | "by" | "reason" | "repeated"> | undefined {
    if (path !== "") return this.halted.find((node) => node.path === path);
    const { value } = this.#root;
    const unlisted = this.#unlisted("");
    return value?.halted ? { since: unlisted, by: unlisted, ...this.root, reason: value.reason ?? null } : undefined;
  }

  /** The steps of every halt that is known: a path is halted by each whose steps it has. */
  get haltedSteps(): readonly (readonly string[])[] {
    const whole = this.haltOf("") ? [""] : [];
    return [...whole, ...this.halted.map(({ path }) => path)].map(pathSteps);
  }

  /** The closest known halt above a node, which stops its orders as well: its path, "" for everything. */
  haltAbove(path: string): string | undefined {
    const steps = pathSteps(path);
    const above = this.halted.find((node) => node.path !== path && covers(pathSteps(node.path), steps));
    return above?.path ?? (this.haltOf("") ? "" : undefined);
  }

  /** Paths of the known halts below a node, "" for everything. */
  haltedBelow(path: string): readonly string[] {
    const steps = pathSteps(path);
    return this.halted.map((node) => node.path).filter((below) => below !== path && covers(steps, pathSteps(below)));
  }

  /** Oddities of nodes that were named here, in sentences. */
  get advice(): readonly string[] {
    return [...this.#advice]
      .filter(([path]) => this.#named.has(path) && !this.#hidden.has(path))
      .map(([, text]) => text);
  }

  /** Looks at a node from now on, and reads it immediately. */
  async look(path: string): Promise<void> {
    const reading = this.#name(path);
    this.#hidden.delete(path);
    remember({ nodes: [...new Set([...(remembered().nodes ?? []), path])] });
    this.onChange();
    await Promise.all([reading.refresh(), this.#advise(path)]);
  }

  /** Hides a node until it is halted, or named again. */
  hide(path: string): void {
    this.#hidden.add(path);
    remember({ nodes: (remembered().nodes ?? []).filter((other) => other !== path) });
    this.onChange();
  }

  /** Reads immediately what is not being read. */
  refresh(): void {
    const idle = this.#inTurn().filter(({ waitingSince }) => waitingSince === undefined);
    for (const reading of idle.slice(0, MAX_IMMEDIATE)) void reading.refresh();
  }

  get #listed(): Halts["halts"] {
    return this.halts.value?.halts ?? [];
  }

  /** The state by the last read; since when and by whom it is halted is in the list alone. */
  #stateOf(path: string): NodeState {
    const listed = this.#listed.find(({ projectionPath }) => projectionPath === path);
    const named = this.#named.get(path);
    const { readAt, failure } = this.halts;
    const isListLater = listed && (named?.readAt ?? 0) <= (readAt ?? 0);
    if (isListLater) return { ...listed, path, halted: true, readAt, failure };
    const { value } = named ?? {};
    const known = value?.halted ? listed : undefined;
    const unlisted = this.#unlisted(path);
    return {
      path,
      halted: value?.halted,
      reason: value?.reason ?? null,
      since: known ? known.since : unlisted,
      by: known ? known.by : unlisted,
      repeated: known?.repeated,
      readAt: named?.readAt,
      failure: named?.failure,
    };
  }

  /** Takes the halts that were read one by one: what is new and not listed was halted after the list was read, which it is again. */
  #noteHalts(): void {
    const named = [...this.#named].filter(([, { value }]) => value?.halted).map(([path]) => path);
    const added = this.#seen.take(this.#root.value?.halted ? ["", ...named] : named);
    const isListed = (path: string): boolean => this.#listed.some(({ projectionPath }) => projectionPath === path);
    if (this.halts.value && !added.every(isListed)) void this.halts.refresh();
  }

  /** What is known of a halt that is not listed: nothing yet while the list is older, and else that nobody knows. */
  #unlisted(path: string): null | undefined {
    return this.#seen.isOlder(this.halts.readAt, path) ? undefined : null;
  }

  /** Why a path may be mistyped; undefined where the engine shows something there, or cannot tell. */
  doubtAt(path: string): Promise<string | undefined> {
    return unknownNodeAdvice(this.#api.client, path);
  }

  async #advise(path: string): Promise<void> {
    const advice = await this.doubtAt(path);
    if (advice === undefined) this.#advice.delete(path);
    else this.#advice.set(path, advice);
    this.onChange();
  }

  #inTurn(): readonly Reading<TradingState>[] {
    return [...this.#named.values()].sort((a, b) => a.askedAt - b.askedAt);
  }

  #name(path: string): Reading<TradingState> {
    const known = this.#named.get(path);
    if (known) return known;
    const reading = new Reading(() => this.#api.client.getTradingStatus({ projectionPath: path }));
    reading.onChange(() => {
      this.#noteHalts();
      this.onChange();
    });
    this.#named.set(path, reading);
    return reading;
  }
}

/** An installation can do without this operation (`admin.api.extensions`). */
function noListOf(error: unknown): Halts {
  if (error instanceof AdminClientError && error.status === 404) return NO_LIST;
  throw error;
}
