import type { Output } from "../../core/operations/table.ts";
import { disableService, enableService } from "./commands.ts";
import { DataTable, textColumn } from "./data-table.ts";
import { describeButtons } from "./dom.ts";
import { Panel, type Parts } from "./panel.ts";
import { Reading } from "./reading.ts";

type Service = Output<"listServices">[number];

const PERIOD_MS = 15_000;

/** The services, and what enables and disables them. */
export class ServicesPanel extends Panel {
  readonly #parts: Parts;
  readonly #table = new DataTable<Service>("Services", ({ name }) => name);
  readonly reading: Reading<Service[]>;

  constructor(parts: Parts) {
    super("services", parts.polling);
    this.#parts = parts;
    this.reading = new Reading(() => parts.api.client.listServices());
    this.#table.columns = [
      {
        title: "State",
        kind: "text",
        show: (cell, { enabled, status }) => {
          cell.textContent = [enabled ? "enabled" : "disabled", status ?? []].flat().join(", ");
          cell.dataset.state = !enabled ? "halted" : status === "Disconnected" ? "partly" : "";
        },
      },
      textColumn("Name", ({ name }) => name, { kind: "name" }),
      textColumn("Type", typeOf),
      { title: "Commands", kind: "commands", show: (cell, service) => this.#showActions(cell, service) },
    ];
    this.body.append(this.#table.scroller);
    this.reading.onChange(() => this.show());
    this.follow(this.reading, { periodMs: () => PERIOD_MS });
  }

  override show(): void {
    this.note(this.#parts.access.note("disableService", "enable or disable services"));
    this.#table.rows = this.reading.value ?? [];
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
