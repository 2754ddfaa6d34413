import { Access } from "./access.ts";
import { consoleApi } from "./api.ts";
import { CommandDesk } from "./command-desk.ts";
import type { Command } from "./commands.ts";
import { byId, setText } from "./dom.ts";
import { LinkState } from "./link-state.ts";
import { Nodes } from "./nodes.ts";
import type { Parts } from "./parts.ts";
import { Polling } from "./polling.ts";
import { PositionsPanel } from "./positions-panel.ts";
import { Reading } from "./reading.ts";
import { RiskPanel } from "./risk-panel.ts";
import { ServicesPanel } from "./services-panel.ts";
import { SessionsPanel } from "./sessions-panel.ts";
import { StatusLine } from "./status-line.ts";
import { TradingPanel } from "./trading-panel.ts";

const ROOT_MS = 5_000;
const USER_MS = 60_000;
const NAMED_MS = 8_000;
const SECOND_MS = 1_000;

/** Puts the page together, and starts reading. */
function open(script: HTMLScriptElement): void {
  const api = consoleApi(new URL("..", script.src).href, document.documentElement.dataset.basePath ?? "");
  const status = new StatusLine();
  const root = new Reading(() => api.client.getTradingStatus());
  const user = new Reading(() => api.user());
  const link = new LinkState(root, status);
  const polling = new Polling(() => link.isGatewayAway);
  const parts: Parts = { api, polling, access: new Access(user, status), desk: new CommandDesk(api.client, status) };
  const nodes = new Nodes(api, polling);
  const trading = new TradingPanel(parts, root, nodes);
  const services = new ServicesPanel(parts);
  const sessions = new SessionsPanel(parts);
  const panels = [trading, new PositionsPanel(parts), services, new RiskPanel(parts), sessions];
  polling.add({ reading: root, periodMs: () => ROOT_MS, wanted: () => true, first: true });
  polling.add({ reading: user, periodMs: () => USER_MS, wanted: () => true });
  polling.add({ reading: nodes.named, periodMs: () => NAMED_MS, wanted: () => true });

  nodes.onChange = () => trading.show();
  user.onChange(() => {
    setText(byId("user"), user.value?.name ?? "");
    for (const panel of panels) panel.show();
  });
  parts.desk.knownNodes = () => nodes.all.map(({ path }) => path);
  parts.desk.onCommand = (command) => readAgain(command);
  link.onBack = () => void Promise.all([user.refresh(), nodes.named.refresh(), services.reading.refresh()]);

  /** Reads what a command may have changed. */
  function readAgain({ operation, node }: Command): void {
    if (node !== undefined) void (node === "" ? root.refresh() : nodes.look(node));
    else if (operation.endsWith("Service")) void services.reading.refresh();
    else void sessions.refresh();
  }

  setInterval(() => {
    const now = Date.now();
    link.show(now);
    for (const panel of panels) panel.showAge(now);
  }, SECOND_MS);
  void Promise.all([root.refresh(), user.refresh(), services.reading.refresh(), nodes.named.refresh()]);
  polling.start();
}

open(document.currentScript as HTMLScriptElement);
