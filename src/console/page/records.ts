import type { OperationName } from "../../core/operations/table.ts";
import { type ActiveStop, repeatedWords } from "../../core/stops/words.ts";
import { lasting, since } from "../../pages/words.ts";
import type { PageRecords } from "../records.ts";
import type { ConsoleApi } from "./api.ts";
import { type TableColumn, textColumn } from "./columns.ts";
import { Reading } from "./reading.ts";

/** Milliseconds after which the records are read again. */
export const RECORDS_MS = 30_000;

/** Records of commands by the gateway. */
export class Records {
  readonly reading: Reading<PageRecords>;

  constructor(api: ConsoleApi) {
    this.reading = new Reading(() => api.records());
  }

  /** Says who disabled the thing of a row, when and why; `targetOf` names it as audit records do, undefined where it is not disabled. */
  column<Row>(stop: OperationName, targetOf: (row: Row) => string | undefined): TableColumn<Row> {
    return textColumn("Disabled by", (row) => {
      const target = targetOf(row);
      return target === undefined ? "" : this.#words(stop, target);
    });
  }

  #words(stop: OperationName, target: string): string {
    const stops = this.reading.value?.stops;
    if (!stops) return "";
    const found = stops.find((candidate) => candidate.operation === stop && candidate.target === target);
    return found ? stopWords(found) : "not known";
  }
}

/** `operator, 06:39:12 UTC (5 min): bad algo; repeated 06:41:10 by riskdesk (really)`. */
function stopWords({ by, since: at, reason, repeated }: ActiveStop): string {
  const because = reason === null ? "" : `: ${reason}`;
  return `${by ?? "somebody"}, ${since(at)} (${lasting(Date.now() - at)})${because}${repeatedWords(repeated, Date.now())}`;
}
