import { describedEngine } from "../../client/engine-offer.ts";
import type { Output } from "../../core/operations/table.ts";
import type { PageUser } from "../../http/documents.ts";
import { forgetPageKey } from "../../pages/client.ts";
import { byId, setText } from "../../pages/dom.ts";
import { StatusLine } from "../../pages/status-line.ts";
import { Access, type EngineReading } from "./access.ts";
import { type ConsoleApi, consoleApi } from "./api.ts";
import { CommandDesk, type CommandPage } from "./command-desk.ts";
import type { PageCommand } from "./commands.ts";
import { GivenPanel } from "./given-panel.ts";
import { Nodes } from "./nodes.ts";
import type { Panel, Parts } from "./panel.ts";
import { Polling, Responsiveness } from "./polling.ts";
import { PositionsPanel } from "./positions-panel.ts";
import { Reading } from "./reading.ts";
import { mistakeIn, Records, remainderOf, stateBefore } from "./records.ts";
import { RiskPanel } from "./risk-panel.ts";
import { ServicesPanel } from "./services-panel.ts";
import { SessionsPanel } from "./sessions-panel.ts";
import { TradingPanel } from "./trading-panel.ts";
import { Trends } from "./trends.ts";

const USER_MS = 60_000;
const ENGINE_MS = 60_000;
const SECOND_MS = 1_000;

/** Read before anything else. */
interface FirstReads {
  readonly root: Reading<Output<"getTradingStatus">>;
  readonly user: Reading<PageUser>;
}

/** The page: what is read, where it is shown, and what is read again when. */
class Console {
  readonly #root: FirstReads["root"];
  readonly #user: FirstReads["user"];
  readonly #engine: EngineReading;
  readonly #link: Responsiveness;
  readonly #polling: Polling;
  readonly #desk: CommandDesk;
  readonly #nodes: Nodes;
  readonly #records: Records;
  readonly #trading: TradingPanel;
  readonly #positions: PositionsPanel;
  readonly #services: ServicesPanel;
  readonly #sessions: SessionsPanel;
  readonly #panels: readonly Panel[];

  constructor(api: ConsoleApi, { root, user }: FirstReads) {
    const status = new StatusLine();
    this.#root = root;
    this.#user = user;
    this.#link = new Responsiveness(this.#root, status);
    this.#polling = new Polling(() => this.#link.absent === "gateway");
    this.#desk = new CommandDesk(api.client, status, this.#commandPage());
    this.#engine = new Reading((call) => describedEngine(api.client, call));
    const access = new Access(this.#user, this.#engine, status);
    this.#records = new Records(api);
    const trends = new Trends();
    const parts: Parts = { api, access, polling: this.#polling, desk: this.#desk, records: this.#records, trends };
    this.#nodes = new Nodes(api, this.#polling, root);
    this.#trading = new TradingPanel(parts, this.#root, this.#nodes);
    this.#positions = new PositionsPanel(parts);
    this.#services = new ServicesPanel(parts);
    this.#sessions = new SessionsPanel(parts);
    const others = [this.#positions, new RiskPanel(parts), new GivenPanel(parts)];
    this.#panels = [this.#trading, this.#services, this.#sessions, ...others];
  }

  /** Reads the rest for the first time, and continues. */
  open(): void {
    this.#connect();
    const isWanted = (): boolean => true;
    this.#polling.add({ reading: this.#user, periodMs: () => USER_MS, wanted: isWanted });
    this.#polling.add({ reading: this.#engine, periodMs: () => ENGINE_MS, wanted: isWanted });
    this.#nodes.refresh();
    this.#polling.start();
    measureTop();
    setInterval(() => this.#showAges(Date.now()), SECOND_MS);
  }

  #connect(): void {
    this.#root.onChange(() => this.#showAges(Date.now()));
    const showHalts = (): void => this.#positions.showHalts(this.#nodes.haltedSteps, this.#root.failure !== undefined);
    this.#root.onChange(showHalts);
    this.#nodes.onChange = () => {
      this.#trading.show();
      showHalts();
    };
    this.#user.onChange(() => {
      setText(byId("user"), this.#user.value?.name ?? "");
      for (const panel of this.#panels) panel.show();
    });
    this.#engine.onChange(() => {
      for (const panel of this.#panels) panel.show();
    });
    byId("log-out").onclick = () => {
      forgetPageKey();
      location.assign("console/logged-out");
    };
    this.#link.onBack = () => {
      this.#polling.refreshRest();
      this.#nodes.refresh();
    };
  }

  #commandPage(): CommandPage {
    return {
      userName: () => this.#user.value?.name ?? null,
      knownNodes: () => this.#nodes.all.map(({ path }) => path),
      away: () => this.#link.commandNote,
      stateBefore: (command) => stateBefore(command, this.#nodes, this.#records),
      awaitedWords: (command) => this.#records.awaitedWords(command),
      remainder: (command) => remainderOf(command, this.#nodes),
      mistake: (command) => mistakeIn(command, this.#nodes),
      readRecords: () => this.#records.reading.refresh(),
      readChanged: (command) => this.#readAgain(command),
    };
  }

  /** Reads what a command may have changed. */
  async #readAgain({ operation, input }: PageCommand): Promise<void> {
    const node = "projectionPath" in input ? input.projectionPath : undefined;
    // A command may also end what is reported as lost.
    void this.#nodes.halts.refresh();
    void this.#records.reading.refresh();
    if (node !== undefined) await (node === "" ? this.#root.refresh() : this.#nodes.look(node));
    else if (operation.endsWith("Service")) await this.#services.reading.refresh();
    else await this.#sessions.refresh();
  }

  #showAges(now: number): void {
    this.#link.show(now);
    for (const panel of this.#panels) panel.showAge(now, this.#link.absent);
  }
}

/** Tells the style sheet how high the top of the page is: with a message it is higher, and what is jumped to must not be below it. */
function measureTop(): void {
  new ResizeObserver(([entry]) => {
    const [{ blockSize } = { blockSize: 0 }] = entry?.borderBoxSize ?? [];
    document.documentElement.style.setProperty("--top", `${Math.floor(blockSize)}px`);
  }).observe(byId("top"));
}

/** Sends the first reads: they are in progress while the page is put together. */
function firstReads(api: ConsoleApi): FirstReads {
  const root = new Reading(() => api.client.getTradingStatus());
  const user = new Reading(() => api.user());
  void Promise.all([root.refresh(), user.refresh()]);
  return { root, user };
}

const script = document.currentScript as HTMLScriptElement;
const { basePath = "" } = document.documentElement.dataset;
const api = consoleApi(new URL("..", script.src).href, basePath);
new Console(api, firstReads(api)).open();
