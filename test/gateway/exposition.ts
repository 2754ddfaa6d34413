import { expect } from "vitest";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { CHIEF } from "./folder.ts";

/** One sample of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/i;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/gi;

/** The samples of a page of metrics. Throws for a line that is none. */
export function samplesOf(text: string): Sample[] {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no sample: ${line}`);
    const pairs = [...labels.matchAll(LABEL)].map(([, key, text]) => [key, text]);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

/** What a gateway exposes now. */
export class Scrape {
  readonly samples: readonly Sample[];

  constructor(samples: readonly Sample[]) {
    this.samples = samples;
  }

  static async of(origin: string): Promise<Scrape> {
    const reply = await page(origin);
    expect(reply).toMatchObject({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
    return new Scrape(samplesOf(reply.body));
  }

  /** Sum of the samples with this name and these labels; undefined when there are none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const found = this.samples.filter(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }
}

/** `/actuator/prometheus` with the credentials of the one user. */
export function page(origin: string): Promise<RawReply> {
  return sendRaw(origin, { path: "/actuator/prometheus", authorization: CHIEF });
}
