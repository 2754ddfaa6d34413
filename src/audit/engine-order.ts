import type { RecordedRequest } from "./history.ts";

/** Clocks further apart than this disagree; as far as a slower reply may be off, it says nothing of a clock. */
const TOLERANCE_MS = 1_000;

/** The offset of a gateway's clock, as one of its commands shows it. */
interface Sample {
  /** Epoch milliseconds of the outcome, by the gateway's clock. */
  readonly at: number;
  /** Lead of the engine's clock. */
  readonly offsetMs: number;
}

/**
 * The order of requests of several gateways: by the engine's time of its reply, whatever the clocks of the gateways say; what the engine
 * did not reply to by the gateway's time, corrected by the offset that the gateway's other commands show.
 */
export class EngineOrder {
  readonly #samples = new Map<string, Sample[]>();

  /** Takes the requests of all gateways, also those that are not to be shown. */
  constructor(requests: readonly RecordedRequest[]) {
    for (const request of requests) this.#learn(request);
    for (const samples of this.#samples.values()) samples.sort((a, b) => a.at - b.at);
  }

  sort(requests: readonly RecordedRequest[]): RecordedRequest[] {
    const placed = requests.map((request) => ({ request, at: this.#placeOf(request) }));
    return placed.toSorted((a, b) => a.at - b.at || byTime(a.request, b.request)).map(({ request }) => request);
  }

  /** Gateways whose clocks disagree with the engine's, with the lead of the engine's clock in milliseconds when that was furthest. */
  get disagreeing(): ReadonlyMap<string, number> {
    const furthest = [...this.#samples].map(([gateway, samples]): [string, number] => {
      const offsets = samples.map(({ offsetMs }) => offsetMs);
      return [gateway, offsets.reduce((most, offset) => (Math.abs(offset) > Math.abs(most) ? offset : most), 0)];
    });
    return new Map(furthest.filter(([, offsetMs]) => Math.abs(offsetMs) > TOLERANCE_MS));
  }

  #learn({ gateway, time, outcomeAt, engineTime }: RecordedRequest): void {
    if (engineTime === undefined || outcomeAt === null) return;
    const at = Date.parse(outcomeAt);
    if (!(at - Date.parse(time) <= TOLERANCE_MS)) return;
    const samples = this.#samples.get(gateway) ?? [];
    samples.push({ at, offsetMs: Date.parse(engineTime) - at });
    this.#samples.set(gateway, samples);
  }

  #placeOf({ gateway, time, engineTime }: RecordedRequest): number {
    if (engineTime !== undefined) return Date.parse(engineTime);
    const own = Date.parse(time);
    const samples = this.#samples.get(gateway) ?? [];
    const { offsetMs } = samples.findLast(({ at }) => at <= own) ?? samples[0] ?? { offsetMs: 0 };
    return Math.abs(offsetMs) > TOLERANCE_MS ? own + offsetMs : own;
  }
}

export function byTime(a: RecordedRequest, b: RecordedRequest): number {
  return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
}
