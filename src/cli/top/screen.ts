import { styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { titleOf } from "../output/columns.ts";
import { tableOf } from "../output/table.ts";
import { panelOf, type ScreenPanel } from "./panels.ts";
import type { State } from "./state.ts";
import { HALT_WORD, PANELS, type PanelName, type View } from "./view.ts";

/** What the screen is made of. */
export interface Scene {
  readonly state: State;
  readonly view: View;
  /** Of the installation, and its address. */
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colour: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What became of the last command. */
  readonly message: string | undefined;
}

type Style = Parameters<typeof styleText>[0];

/** The lines of the screen, as many as it has. */
export function screenOf(scene: Scene): string[] {
  const { width, height } = scene;
  if (width < MIN_COLUMNS || height < MIN_ROWS) {
    return [`too small: ${width}x${height}; top needs ${MIN_COLUMNS}x${MIN_ROWS}`.slice(0, width)];
  }
  const layout = layoutOf(height, scene.view.focus, rowCounts(scene));
  return [
    headingOf(scene),
    killSwitchOf(scene),
    ...PANELS.flatMap((name) => panelLines(scene, name, layout.rows[name])),
    ...failureLines(scene, layout.failures),
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
  const line = `${left.padEnd(width - time.length)}${time}`;
  return styled(scene, state.outageSince === undefined ? "bold" : ["bold", "yellow"], line);
}

function killSwitchOf(scene: Scene): string {
  const { state, now, width } = scene;
  const { reading, outageSince } = state;
  const outage = outageSince === undefined ? "" : `NO ANSWER for ${Math.round((now - outageSince) / 1_000)} s`;
  if (!reading) return styled(scene, "yellow", plain(outage || "reading ...", width));
  const late = outage && `  ${outage}: as it was before`;
  const { halted, reason } = reading.status;
  const words = `trading ${halted ? `HALTED: ${reason ?? "no reason given"}` : "is not halted"} (system-wide)${late}`;
  const line = plain(words, width).padEnd(width);
  if (halted) return styled(scene, ["bold", "inverse", "red"], line);
  return styled(scene, late === "" ? "green" : "yellow", line);
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
    column ? `by ${titleOf(column).toLowerCase()}${descending ? ", largest first" : ""}` : "",
    filter === "" ? "" : `with "${filter}"`,
  ];
  const line = plain(parts.filter((part) => part !== "").join("  "), width).padEnd(width);
  return styled(scene, view.focus === name ? ["bold", "inverse"] : "inverse", line);
}

function failureLines(scene: Scene, height: number): string[] {
  const { state, width } = scene;
  const lines = state.failures.slice(0, height).map(({ at, text }) => {
    const time = new Date(at).toISOString().slice(11, 19);
    return styled(scene, "yellow", plain(`${time} ${text}`, width));
  });
  const heading = plain(`  LAST FAILURES ${state.failures.length === 0 ? "(none yet)" : ""}`, width).padEnd(width);
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

/** A text that fits, in which nothing steers the terminal. */
function plain(text: string, width: number): string {
  const safe = escapeControlCharacters(text);
  return safe.length <= width ? safe : `${safe.slice(0, width - 1)}…`;
}

function styled({ colour }: Scene, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}

/** Lines of the screen: heading, kill switch, a heading and rows for each list, failures with a heading, and the keys. */
interface Layout {
  /** Rows of each list, its headings not counted. */
  readonly rows: Readonly<Record<PanelName, number>>;
  /** Lines of failures, their heading not counted. */
  readonly failures: number;
}

/** The least that the screen works with. */
const MIN_COLUMNS = 80;
const MIN_ROWS = 24;

/** Heading, kill switch, heading of failures, keys. */
const FIXED = 4;
/** A line with name, number and order of a list, and one with its columns. */
const HEADINGS = 2;

/**
 * Shares the height: a tenth for failures, what is left for the lists, twice as much for the one in focus as for the others, and
 * none more than the rows that it has; what is over goes to the failures.
 */
export function layoutOf(height: number, focus: PanelName, wanted: Readonly<Record<PanelName, number>>): Layout {
  const failures = Math.max(2, Math.floor(height / 10));
  let left = height - FIXED - failures - PANELS.length * HEADINGS;
  const rows = { sessions: 0, services: 0, positions: 0 };
  const isShort = (name: PanelName): boolean => rows[name] < wanted[name];
  while (left > 0 && PANELS.some(isShort)) {
    for (const name of [focus, ...PANELS]) {
      if (left === 0 || !isShort(name)) continue;
      rows[name] += 1;
      left -= 1;
    }
  }
  return { rows, failures: failures + left };
}
