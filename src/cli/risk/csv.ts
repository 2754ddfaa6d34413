/** A record of a CSV file, and the line on which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** One cell with what ends it: quoted, with doubled quotes inside, or plain. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Reads CSV as RFC 4180 has it: commas, cells in quotes where they have to be; a byte order mark and empty lines do not count. */
export function parseCsv(text: string): CsvRow[] {
  const source = text.replace(/^\uFEFF/, "");
  const rows: CsvRow[] = [];
  let line = 1;
  let row: { line: number; cells: string[] } = { line, cells: [] };
  CELL.lastIndex = 0;
  while (CELL.lastIndex < source.length) {
    const cell = CELL.exec(source);
    if (!cell) throw new SyntaxError(`line ${line}: a quote stands where none may be, or is not closed`);
    const [whole, quoted, plain = "", end] = cell;
    row.cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split("\n").length - 1;
    if (end === ",") continue;
    if (row.cells.length > 1 || row.cells[0] !== "") rows.push(row);
    row = { line, cells: [] };
  }
  // A comma at the very end of the text is followed by an empty cell.
  if (row.cells.length > 0) rows.push({ ...row, cells: [...row.cells, ""] });
  return rows;
}
