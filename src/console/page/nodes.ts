import type { Output } from "../../core/operations/table.ts";
import type { ConsoleApi } from "./api.ts";
import type { Polled, Polling } from "./polling.ts";
import { Reading } from "./reading.ts";
import { remember, remembered } from "./remembered.ts";

/** Kill switch state of a node, as it was read. */
export interface NodeState {
  readonly path: string;
  readonly reading: Reading<Output<"getTradingStatus">>;
}

const PERIOD_MS = 10_000;
/** Nodes that are read at once when the page opens; others follow at the pace of polling. */
const AT_ONCE = 20;
/** Nodes that the browser remembers. */
const MOST_REMEMBERED = 50;

/** The nodes that the page looks at. No operation lists what is halted, so nodes have to be named by somebody. */
export class Nodes {
  readonly #api: ConsoleApi;
  readonly #polling: Polling;
  readonly #byPath = new Map<string, NodeState & { readonly polled: Polled }>();
  /** Nodes that were halted or resumed through the gateway. */
  readonly named: Reading<readonly string[]>;
  /** Is told of each state that was read, and of nodes that come and go. */
  onChange: () => void = () => {};

  constructor(api: ConsoleApi, polling: Polling) {
    this.#api = api;
    this.#polling = polling;
    this.named = new Reading(() => api.nodes());
    this.named.onChange(() => {
      for (const path of this.named.value ?? []) this.#add(path);
      this.onChange();
    });
    for (const path of remembered().nodes ?? []) this.#add(path);
  }

  get all(): readonly NodeState[] {
    return [...this.#byPath.values()];
  }

  get halted(): readonly NodeState[] {
    return this.all.filter(({ reading }) => reading.value?.halted);
  }

  /** Looks at a node from now on, and reads it at once. */
  async look(path: string): Promise<void> {
    this.#add(path);
    remember({ nodes: [...new Set([...(remembered().nodes ?? []), path])].slice(-MOST_REMEMBERED) });
    this.onChange();
    await this.#byPath.get(path)?.reading.refresh();
  }

  /** Looks no more at a node. */
  forget(path: string): void {
    const node = this.#byPath.get(path);
    if (node) this.#polling.remove(node.polled);
    this.#byPath.delete(path);
    remember({ nodes: (remembered().nodes ?? []).filter((other) => other !== path) });
    this.onChange();
  }

  /** The first reads of a page that has just been opened. */
  async open(): Promise<void> {
    await this.named.refresh();
    await Promise.all(this.all.slice(-AT_ONCE).map(({ reading }) => reading.refresh()));
  }

  #add(path: string): void {
    if (path === "" || this.#byPath.has(path)) return;
    const reading = new Reading(() => this.#api.client.getTradingStatus({ projectionPath: path }));
    const polled = { reading, periodMs: () => PERIOD_MS, wanted: () => true };
    reading.onChange(() => this.onChange());
    this.#byPath.set(path, { path, reading, polled });
    this.#polling.add(polled);
  }
}
