/** What of a column decides how wide it becomes; widths count characters. */
export interface ColumnExtent {
  /** Width of its longest cell. */
  readonly natural: number;
  /** It is not narrower than this: numbers are not cut, nor titles. */
  readonly least: number;
  /** It is not left out. */
  readonly isKept: boolean;
}

/** Blanks between two columns. */
export const GAP = 2;

/** As many characters of a text usually tell it from others: no cell is cut to less for a column that need not be kept. */
const TELLING = 20;

/**
 * Widths of the columns of a table of at most `width` characters; 0 for a column that is left out. The longest cells are cut first, to the same
 * width, before a column is left out; columns that need not be kept are taken in their order, as long as they fit.
 */
export function widthsOf(columns: readonly ColumnExtent[], width: number): number[] {
  const shown = shownOf(columns, width);
  const cap = capOf(shown, width);
  return columns.map((column) => (shown.has(column) ? cutTo(column, cap) : 0));
}

function shownOf(columns: readonly ColumnExtent[], width: number): ReadonlySet<ColumnExtent> {
  const shown = new Set<ColumnExtent>();
  const addAll = (added: readonly ColumnExtent[], cap: number): void => {
    for (const column of added) if (spanOf([...shown, column], cap) <= width) shown.add(column);
  };
  addAll(
    columns.filter(({ isKept }) => isKept),
    0,
  );
  addAll(
    columns.filter(({ isKept }) => !isKept),
    TELLING,
  );
  // The most important one is there in any case.
  return shown.size > 0 ? shown : new Set(columns.slice(0, 1));
}

/** The width to which cells are cut, so that all fit. */
function capOf(shown: ReadonlySet<ColumnExtent>, width: number): number {
  const natural = [...shown].map((column) => column.natural);
  let [fits, tooWide] = [0, Math.max(0, ...natural) + 1];
  while (tooWide - fits > 1) {
    const middle = Math.floor((fits + tooWide) / 2);
    if (spanOf([...shown], middle) <= width) fits = middle;
    else tooWide = middle;
  }
  return fits;
}

function spanOf(columns: readonly ColumnExtent[], cap: number): number {
  return columns.reduce((span, column) => span + cutTo(column, cap), GAP * (columns.length - 1));
}

function cutTo({ natural, least }: ColumnExtent, cap: number): number {
  return Math.min(natural, Math.max(least, cap));
}
