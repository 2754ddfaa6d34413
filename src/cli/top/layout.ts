import { PANELS, type PanelName } from "./view.ts";

/** Lines of the screen: heading, kill switch, a heading and rows for each list, failures with a heading, and the keys. */
export interface Layout {
  /** Rows of each list, its headings not counted. */
  readonly rows: Readonly<Record<PanelName, number>>;
  /** Lines of failures, their heading not counted. */
  readonly failures: number;
}

/** The least that the screen works with. */
export const MIN_COLUMNS = 80;
export const MIN_ROWS = 24;

/** Heading, kill switch, heading of failures, keys. */
const FIXED = 4;
/** A line with name, number and order of a list, and one with its columns. */
const HEADINGS = 2;

/** Shares the height: a tenth for failures, what is left for the lists, twice as much for the one in focus as for the others. */
export function layoutOf(height: number, focus: PanelName): Layout {
  const failures = Math.max(2, Math.floor(height / 10));
  const left = height - FIXED - failures - PANELS.length * HEADINGS;
  const share = Math.floor(left / (PANELS.length + 1));
  const others = PANELS.filter((name) => name !== focus);
  const rows = Object.fromEntries([[focus, left - share * others.length], ...others.map((name) => [name, share])]);
  return { rows: rows as Record<PanelName, number>, failures };
}
