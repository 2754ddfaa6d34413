import type { Output } from "../../core/operations/table.ts";
import { EngineRejection } from "../engine.ts";
import type { Installation } from "./installation-schema.ts";

type Service = Output<"getService">;

/** The trade connectors and algorithms, and whether they accept orders. */
export class Services {
  readonly #services = new Map<string, Service>();

  constructor({ connectors, algorithms }: Installation) {
    for (const [name, { type, dma, enabled, status }] of Object.entries(connectors)) {
      this.#services.set(name, { name, type, system: false, dma, enabled, status });
    }
    for (const [name, { type, system, dma, enabled }] of Object.entries(algorithms)) {
      this.#services.set(name, { name, type, system, dma, enabled, status: null });
    }
  }

  list(): Service[] {
    return [...this.#services.values()].map((service) => ({ ...service }));
  }

  get(name: string): Service {
    return { ...this.#find(name) };
  }

  /** Takes effect immediately; doing it again changes nothing. */
  setEnabled(name: string, enabled: boolean): null {
    this.#find(name).enabled = enabled;
    return null;
  }

  /** Why an order to this destination may not pass. */
  refusal(destination: string | undefined): string | undefined {
    if (destination === undefined) return "the order names no Destination";
    const service = this.#services.get(destination);
    if (!service) return `unknown destination "${destination}"`;
    if (service.system) return `system algorithm "${destination}" accepts no orders`;
    if (!service.enabled) return `service "${destination}" is disabled`;
    return service.status === "Disconnected" ? `connector "${destination}" is disconnected` : undefined;
  }

  #find(name: string): Service {
    const service = this.#services.get(name);
    if (!service) throw new EngineRejection("not-found", `Unknown service "${name}"`);
    return service;
  }
}
