import type { Output } from "../../core/operations/table.ts";
import { disableService, enableService } from "./commands.ts";
import { DataTable, textColumn } from "./data-table.ts";
import { Panel, type Parts } from "./panel.ts";
import { Reading } from "./reading.ts";
import { describeButtons } from "./trading-panel.ts";

type Service = Output<"listServices">[number];

const PERIOD_MS = 15_000;

/** The services, and what enables and disables them. */
export class ServicesPanel {
  readonly #parts: Parts;
  readonly #panel = new Panel("services");
  readonly #table = new DataTable<Service>("Services", ({ name }) => name);
  readonly reading: Reading<Service[]>;

  constructor(parts: Parts) {
    const { api, polling } = parts;
    this.#parts = parts;
    this.reading = new Reading(() => api.client.listServices());
    this.#table.columns = [
      textColumn("Name", ({ name }) => name),
      {
        title: "State",
        kind: "text",
        show: (cell, { enabled, status }) => {
          cell.textContent = [enabled ? "enabled" : "disabled", status ?? []].flat().join(", ");
          cell.dataset.state = !enabled ? "halted" : status === "Disconnected" ? "partly" : "";
        },
      },
      textColumn("Type", typeOf),
      { title: "Commands", kind: "commands", show: (cell, service) => this.#showActions(cell, service) },
    ];
    this.#panel.body.append(this.#table.scroller);
    this.#panel.readings = () => [this.reading];
    this.reading.onChange(() => this.show());
    polling.add({ reading: this.reading, periodMs: () => PERIOD_MS, wanted: () => this.#panel.isVisible });
  }

  show(): void {
    this.#panel.note(this.#parts.access.note("disableService", "enable or disable services"));
    this.#table.rows = this.reading.value ?? [];
  }

  showAge(now: number): void {
    this.#panel.showAge(now);
  }

  #showActions(cell: HTMLElement, { name, enabled }: Service): void {
    const { access, desk } = this.#parts;
    if (cell.childElementCount === 0) {
      const disable = access.button("Disable", "disableService", () => void desk.ask(disableService(name)));
      disable.classList.add("stop");
      cell.append(
        disable,
        access.button("Enable", "enableService", () => void desk.ask(enableService(name))),
      );
      describeButtons(cell, name);
    }
    const [disable, enable] = cell.querySelectorAll("button");
    if (!disable || !enable) return;
    disable.hidden = !enabled;
    enable.hidden = enabled;
    access.mark(disable, "disableService");
    access.mark(enable, "enableService");
  }
}

function typeOf({ type, system, dma }: Service): string {
  return [type, ...(system ? ["system"] : []), ...(dma ? ["DMA"] : [])].join(", ");
}
