import type { Output } from "../../core/operations/table.ts";
import type { ConsoleApi } from "./api.ts";
import type { Polling } from "./polling.ts";
import { Reading } from "./reading.ts";
import { remember, remembered } from "./remembered.ts";

/** Kill switch state of a node, as it was read. */
export interface NodeState {
  readonly path: string;
  readonly reading: Reading<Output<"getTradingStatus">>;
}

/** Time between two reads of nodes, whatever their number: many nodes must not keep the rest of the page waiting. */
const TURN_MS = 6_000;
/** So much earlier it is the turn of a node that is halted. */
const HALTED_EARLIER_MS = 60_000;
/** Nodes that are read at once when the page opens, and after an outage; others follow at the pace of polling. */
const AT_ONCE = 20;
/** The same for nodes that are named later: they have just been halted. */
const NEWS_AT_ONCE = 5;
/** Nodes that the browser remembers. */
const MOST_REMEMBERED = 50;

/** The nodes that the page looks at. No operation lists what is halted, so each node has to be named. */
export class Nodes {
  readonly #api: ConsoleApi;
  readonly #byPath = new Map<string, NodeState>();
  readonly #hidden = new Set<string>();
  #isNew = true;
  /** Nodes that were halted or resumed through the gateway. */
  readonly named: Reading<readonly string[]>;
  /** Called with each state that was read, and when nodes come and go. */
  onChange: () => void = () => {};

  constructor(api: ConsoleApi, polling: Polling) {
    this.#api = api;
    this.named = new Reading(() => api.nodes());
    this.named.onChange(() => this.#takeNamed());
    for (const path of remembered().nodes ?? []) this.#add(path);
    const periodMs = (): number => (this.#byPath.size === 0 ? Number.POSITIVE_INFINITY : TURN_MS);
    polling.add({
      reading: new Reading(async () => this.#inTurn()[0]?.reading.refresh()),
      periodMs,
      wanted: () => true,
    });
  }

  /** All but those that were hidden and are not halted. */
  get all(): readonly NodeState[] {
    return [...this.#byPath.values()].filter(({ path, reading }) => !this.#hidden.has(path) || reading.value?.halted);
  }

  get halted(): readonly NodeState[] {
    return this.all.filter(({ reading }) => reading.value?.halted);
  }

  /** Looks at a node from now on, and reads it at once. */
  async look(path: string): Promise<void> {
    this.#add(path);
    this.#hidden.delete(path);
    remember({ nodes: [...new Set([...(remembered().nodes ?? []), path])].slice(-MOST_REMEMBERED) });
    this.onChange();
    await this.#byPath.get(path)?.reading.refresh();
  }

  /** Hides a node until it is halted, or named again. */
  hide(path: string): void {
    this.#hidden.add(path);
    remember({ nodes: (remembered().nodes ?? []).filter((other) => other !== path) });
    this.onChange();
  }

  /** Reads at once what is not being read, halted nodes first. */
  refresh(): void {
    const idle = this.#inTurn().filter(({ reading }) => reading.waitingSince === undefined);
    for (const { reading } of idle.slice(0, AT_ONCE)) void reading.refresh();
  }

  #takeNamed(): void {
    const isFirst = this.#isNew;
    this.#isNew = false;
    for (const path of this.named.value ?? []) this.#add(path);
    const unread = this.all.filter(({ reading }) => reading.askedAt === 0);
    for (const { reading } of unread.slice(isFirst ? -AT_ONCE : -NEWS_AT_ONCE)) void reading.refresh();
    this.onChange();
  }

  #inTurn(): readonly NodeState[] {
    const turnOf = ({ reading }: NodeState): number =>
      reading.askedAt - (reading.value?.halted ? HALTED_EARLIER_MS : 0);
    return this.all.toSorted((a, b) => turnOf(a) - turnOf(b));
  }

  #add(path: string): void {
    if (path === "" || this.#byPath.has(path)) return;
    const reading = new Reading(() => this.#api.client.getTradingStatus({ projectionPath: path }));
    reading.onChange(() => this.onChange());
    this.#byPath.set(path, { path, reading });
  }
}
