import { styleText } from "node:util";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { fitted } from "../output/cells.ts";
import { PANELS, type PanelName } from "./view.ts";

/** Lines of the screen without its banner: heading, a heading and rows for each list, events with a heading, and the keys. */
interface Layout {
  /** Rows of each list, its headings not counted. */
  readonly rows: Readonly<Record<PanelName, number>>;
  /** Lines of events, their heading not counted. */
  readonly events: number;
}

/** The least that the screen works with. */
export const MIN_COLUMNS = 80;
export const MIN_ROWS = 24;

/** Heading, heading of events, keys. */
const FIXED = 3;
/** A line with name, number and order of a list, and one with its columns. */
const HEADINGS = 2;

/** However small the screen is. */
const MIN_EVENTS = 3;

/**
 * Shares the height: a tenth for events, what is left for the lists, twice as much for the one in focus as for the others, and
 * none more than the rows that it has; what is over goes to the events.
 */
export function layoutOf(height: number, focus: PanelName, wanted: Readonly<Record<PanelName, number>>): Layout {
  const events = Math.max(MIN_EVENTS, Math.floor(height / 10));
  let left = height - FIXED - events - PANELS.length * HEADINGS;
  const rows = { sessions: 0, services: 0, positions: 0 };
  const isShort = (name: PanelName): boolean => rows[name] < wanted[name];
  while (left > 0 && PANELS.some(isShort)) {
    for (const name of [focus, ...PANELS]) {
      if (left === 0 || !isShort(name)) continue;
      rows[name] += 1;
      left -= 1;
    }
  }
  return { rows, events: events + left };
}

type Style = Parameters<typeof styleText>[0];

/** A text that fits, in which nothing steers the terminal. */
export function plain(text: string, width: number): string {
  return fitted(escapeControlCharacters(text), width);
}

/** A text in a style, where the screen has colours. */
export function styled({ colour }: { readonly colour: boolean }, style: Style, text: string): string {
  return colour ? styleText(style, text, { validateStream: false }) : text;
}
