import type { Output } from "../../core/operations/table.ts";
import { setText } from "../../pages/dom.ts";
import { commandsColumn, nameColumn, type RowState, rowCommand, stateColumn, textColumn } from "./columns.ts";
import { DataTable } from "./data-table.ts";
import { Panel, type Parts } from "./panel.ts";
import { Reading } from "./reading.ts";

type Service = Output<"listServices">[number];

const PERIOD_MS = 15_000;

/** The services, and what enables and disables them. */
export class ServicesPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Service>({
    id: "services",
    label: "Services",
    keyOf: ({ name }) => name,
    searchedIn: (service) => ({ state: stateOf(service).words, text: `${service.name} ${typeOf(service)}` }),
    orderedBy: "state",
    folded: { words: "running", isFine },
  });
  readonly reading: Reading<Service[]>;

  constructor(parts: Parts) {
    super("services", parts.polling);
    this.#parts = parts;
    this.reading = new Reading((call) => parts.api.client.listServices({}, call));
    const { access, desk, records } = parts;
    this.#table.columns = [
      stateColumn(stateOf),
      nameColumn("Name", ({ name }) => name),
      textColumn("Type", typeOf, { kind: "word" }),
      records.column("disableService", disabledTarget),
      commandsColumn(access, ({ name }) => name, [
        rowCommand(desk, "disableService", nameOf, ({ enabled }) => enabled),
        rowCommand(desk, "enableService", nameOf, ({ enabled }) => !enabled),
      ]),
    ];
    this.lay(this.#table);
    this.reading.onChange(() => this.show());
    this.follow(this.reading, { periodMs: () => PERIOD_MS });
    records.reading.onChange(() => this.#table.refresh());
  }

  override show(): void {
    this.note(this.#parts.access.note("disableService", "enable or disable services"));
    const { value } = this.reading;
    this.#parts.records.noteStopped("disableService", value?.map(disabledTarget));
    this.#table.rows = value;
    this.countAtLink((value ?? []).filter((service) => !isFine(service)).length);
    setText(this.count, this.#table.countWords);
  }
}

function nameOf({ name }: Service): { readonly name: string } {
  return { name };
}

function disabledTarget(service: Service): ReturnType<typeof nameOf> | undefined {
  return service.enabled ? undefined : nameOf(service);
}

function isFine(service: Service): boolean {
  return stateOf(service).tone === "running";
}

function stateOf({ enabled, status }: Service): RowState {
  const words = [enabled ? "enabled" : "disabled", status ?? []].flat().join(", ");
  return { words, tone: !enabled ? "halted" : status === "Disconnected" ? "partly" : "running" };
}

function typeOf({ type, system, dma }: Service): string {
  return [type, ...(system ? ["system"] : []), ...(dma ? ["DMA"] : [])].join(", ");
}
