import { givenReason } from "../../core/conventions.ts";
import { lostWords } from "../../core/stops/words.ts";
import { type Halts, nodesBelow } from "../halts/halts.ts";
import { padded } from "../output/cells.ts";
import { counted, wrapped } from "../output/columns.ts";
import { tableOf } from "../output/table.ts";
import { layoutOf, MIN_COLUMNS, MIN_ROWS, plain, styled } from "./layout.ts";
import { orderOf, panelOf, type ScreenPanel } from "./panels.ts";
import { HALT_WORD, PANELS, type PanelName, type Scene } from "./view.ts";

/** The lines of the screen, as many as it has. */
export function screenOf(scene: Scene): string[] {
  const { width, height } = scene;
  if (width < MIN_COLUMNS || height < MIN_ROWS) {
    return [`too small: ${width}x${height}; top needs ${MIN_COLUMNS}x${MIN_ROWS}`.slice(0, width)];
  }
  const banner = bannerOf(scene);
  const layout = layoutOf(height - banner.length, scene.view.focus, rowCounts(scene));
  return [
    headingOf(scene),
    ...banner,
    ...PANELS.flatMap((name) => panelLines(scene, name, layout.rows[name])),
    ...eventLines(scene, layout.events),
    footerOf(scene),
  ];
}

/** How many rows each list would have; a notice is one. */
export function rowCounts({ state, view }: Pick<Scene, "state" | "view">): Record<PanelName, number> {
  const count = (name: PanelName): number => Math.max(1, panelOf(name, state, view.panels[name]).rows.length);
  return { sessions: count("sessions"), services: count("services"), positions: count("positions") };
}

function headingOf(scene: Scene): string {
  const { state, name, now, width } = scene;
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const left = plain(`trading-admin top  ${name}`, width - time.length - 2);
  const line = `${padded(left, width - time.length)}${time}`;
  return styled(scene, state.outageSince === undefined ? "bold" : ["bold", "yellow"], line);
}

function panelLines(scene: Scene, name: PanelName, height: number): string[] {
  const { state, view, width } = scene;
  const look = view.panels[name];
  const panel = panelOf(name, state, look);
  const [columns = "", ...rows] = tableOf(panel.columns, panel.rows, width).lines;
  const first = Math.min(look.first, Math.max(0, rows.length - height));
  const shown = panel.notice === undefined ? rows.slice(first, first + height) : [plain(panel.notice, width)];
  const heading = panelHeading(scene, name, panel, [first, Math.min(rows.length, first + height)]);
  const body = [...shown, ...Array.from({ length: height - shown.length }, () => "")];
  return [heading, styled(scene, "dim", columns), ...body];
}

function panelHeading(
  scene: Scene,
  name: PanelName,
  panel: ScreenPanel,
  [from, to]: readonly [number, number],
): string {
  const { view, width } = scene;
  const { sort, descending, filter } = view.panels[name];
  const column = panel.columns[sort];
  const count = panel.rows.length;
  const parts = [
    `${view.focus === name ? ">" : " "} ${name.toUpperCase()} ${count === 0 ? 0 : from + 1}-${to} of ${count}`,
    panel.count ?? "",
    column ? orderOf(column, descending) : "",
    filter === "" ? "" : `with "${filter}"`,
  ];
  const line = filled(parts.filter((part) => part !== "").join("  "), width);
  return styled(scene, view.focus === name ? ["bold", "inverse"] : "inverse", line);
}

function eventLines(scene: Scene, height: number): string[] {
  const { state, width } = scene;
  const lines = state.events.slice(0, height).map(({ at, text }) => {
    const time = new Date(at).toISOString().slice(11, 19);
    return styled(scene, "yellow", plain(`${time} ${text}`, width));
  });
  const heading = filled(`  EVENTS ${state.events.length === 0 ? "(none yet)" : ""}`, width);
  return [styled(scene, "inverse", heading), ...lines, ...Array.from({ length: height - lines.length }, () => "")];
}

const KEYS = "h HALT  Tab list  s sort  r reverse  / filter  arrows PgUp PgDn page  q quit";

function footerOf(scene: Scene): string {
  const { view, message, width } = scene;
  const { typing } = view;
  if (typing?.what === "halt") {
    const question = `halt ALL trading? type ${HALT_WORD} and Enter, Esc leaves: ${typing.text}_`;
    return styled(scene, ["bold", "red"], plain(question, width));
  }
  if (typing) return plain(`show only rows with: ${typing.text}_`, width);
  if (message !== undefined) return styled(scene, "bold", plain(message, width));
  return plain(KEYS, width);
}

/** From this age on what is shown says how old it is, in milliseconds: an engine that hangs must not look calm. */
const OLD_MS = 3_000;

/** Lost stops that are shown, and lines for each. */
const MAX_LOST = 2;
const MAX_LINES = 2;

/**
 * The lines below the heading: the kill switch, nodes that are halted one by one, and stops that the engine has forgotten. In each the most
 * important comes first: what does not fit is cut at the end.
 */
export function bannerOf(scene: Scene): string[] {
  const { reading } = scene.state;
  const further = reading ? furtherLines(reading.halts, scene) : [];
  const lines = further.map((words) => styled(scene, ["bold", "inverse", "red"], filled(words, scene.width)));
  return [killSwitchOf(scene), ...lines];
}

function furtherLines({ halts, lost }: Halts, { width, now }: Scene): string[] {
  const nodes = nodesBelow("", halts).map(({ projectionPath }) => projectionPath);
  const shown = lost.slice(0, MAX_LOST).flatMap((stop) => wrapped(lostWords(stop, now), width).slice(0, MAX_LINES));
  return [
    ...(nodes.length === 0 ? [] : [`${counted(nodes.length, "node")} HALTED: ${nodes.join(", ")}`]),
    ...shown,
    ...(lost.length > MAX_LOST ? [`${lost.length - MAX_LOST} more that the engine forgot: trading halts`] : []),
  ];
}

function killSwitchOf(scene: Scene): string {
  const { state, now, width } = scene;
  const { reading, outageSince } = state;
  const secondsSince = (at: number): number => Math.round((now - at) / 1_000);
  if (!reading) {
    const words = outageSince === undefined ? "reading ..." : `NO RESPONSE for ${secondsSince(outageSince)} s`;
    return styled(scene, "yellow", plain(words, width));
  }
  const { halted, reason } = reading.status;
  const isOld = outageSince !== undefined || now - reading.at >= OLD_MS;
  const parts = [
    outageSince === undefined ? "" : "NO RESPONSE. ",
    isOld ? `${secondsSince(reading.at)} s ago: ` : "",
    `trading ${halted ? `HALTED (system-wide): ${givenReason(reason) ?? "no reason given"}` : "is not halted (system-wide)"}`,
  ];
  const line = filled(parts.join(""), width);
  if (halted) return styled(scene, ["bold", "inverse", "red"], line);
  return styled(scene, isOld ? "yellow" : "green", line);
}

/** A whole line. */
function filled(words: string, width: number): string {
  return padded(plain(words, width), width);
}
