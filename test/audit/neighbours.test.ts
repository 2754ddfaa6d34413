import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditFile } from "../../src/audit/index.ts";
import { AuditNeighbours } from "../../src/audit/neighbours.ts";
import { systemClock } from "../../src/core/clock.ts";
import { Listeners } from "../../src/core/events.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { AuditTrail } from "../../src/core/records/audit-trail.ts";
import type { AuditRecord } from "../../src/core/records/record.ts";
import { type AbandonedTrail, CutOffWatch } from "../../src/core/stops/cut-off-watch.ts";
import { until } from "../support/until.ts";
import { AuditFolder, auditRecord } from "./folder.ts";

let folder: AuditFolder;
let lookers: Looker[];

beforeEach(() => {
  folder = new AuditFolder();
  lookers = [];
});

afterEach(async () => {
  for (const looker of lookers) await looker.watch.close();
  await folder.close();
});

/** Counts how often it was asked for abandoned trails: looks come one after the other. */
class CountedNeighbours extends AuditNeighbours {
  asked = 0;

  override abandoned(): Promise<readonly AbandonedTrail[]> {
    this.asked += 1;
    return super.abandoned();
  }
}

/** A gateway that has its file in the folder, and looks at those beside it when the test says so. */
class Looker {
  readonly watch: CutOffWatch;
  readonly told: AuditRecord[][] = [];
  readonly failures: string[] = [];
  readonly #neighbours: CountedNeighbours;
  #every = (): void => {};

  private constructor(audit: AuditFile, gateway: string, sink: { write(record: AuditRecord): Promise<void> }) {
    const clock = {
      ...systemClock,
      every: (_ms: number, task: () => void) => {
        this.#every = task;
        return () => {};
      },
    };
    const listeners = new Listeners();
    listeners.on("cutOff", ({ intents }) => this.told.push([...intents]));
    listeners.on("failure", ({ error }) => this.failures.push(error.message));
    const gate = new Gate(clock);
    this.#neighbours = new CountedNeighbours(audit.path, () => {});
    const trail = new AuditTrail({ sink, gateway, clock, listeners, gate, timeoutMs: 10_000 });
    this.watch = new CutOffWatch({ trail, listeners, gate, clock, neighbours: this.#neighbours });
  }

  static async start(name: string, slowMs = 0): Promise<Looker> {
    const audit = await folder.open({ path: join(folder.path, `${name}.jsonl`) });
    const write = async (record: AuditRecord): Promise<void> => {
      await pause(slowMs);
      await audit.write(record);
    };
    const looker = new Looker(audit, name, { write });
    lookers.push(looker);
    looker.watch.start();
    await looker.looked(1);
    return looker;
  }

  /** Looks once more, and has what there is told. */
  async look(): Promise<void> {
    this.#every();
    // The next one begins when this one is done.
    const before = this.#neighbours.asked;
    this.#every();
    await this.looked(before + 2);
  }

  looked(times: number): Promise<unknown> {
    return until(() => this.#neighbours.asked >= times, `${times} looks`);
  }

  get ids(): string[] {
    return this.told.flat().map(({ id }) => id);
  }
}

/** The file of a gateway that is gone. */
async function leave(name: string, records: readonly AuditRecord[], maxFileBytes = 1_000_000): Promise<void> {
  const audit = await folder.open({ path: join(folder.path, `${name}.jsonl`), maxFileBytes });
  for (const record of records) await audit.write({ ...record, gateway: name });
  await audit.close();
}

const OPEN = auditRecord("open");
const SETTLED = [auditRecord("done"), auditRecord("done", { stage: "applied", status: 200 })];

const cutOffRecords = (name: string): Record<string, unknown>[] =>
  folder.lines(`${name}.jsonl`).filter(({ event }) => event === "cut-off");

describe("D-LOG 24: intents without outcome in the file of a gateway that is gone", () => {
  it("are reported by another gateway of the folder, in its own chain, with the name of the one that is gone", async () => {
    await leave("pod-a", [...SETTLED, OPEN]);
    const before = folder.text("pod-a.jsonl");
    const b = await Looker.start("pod-b");
    await b.look();
    expect(b.ids).toEqual(["open"]);
    expect(cutOffRecords("pod-b")).toMatchObject([
      {
        ids: ["open"],
        count: 1,
        gateway: "pod-b",
        message: '1 command has no outcome: gateway "pod-a" ended before it was recorded',
      },
    ]);
    expect(folder.text("pod-a.jsonl")).toBe(before);
    expect(b.failures).toEqual([]);
  });

  it("also where they are in a full file, with the current one empty, missing, or torn", async () => {
    const long = { ...OPEN, reason: "x".repeat(900) };
    await leave("empty", [{ ...long, id: "e" }]);
    copyFileSync(join(folder.path, "empty.jsonl"), join(folder.path, "empty.000000000001.jsonl"));
    writeFileSync(join(folder.path, "empty.jsonl"), "");
    await leave("missing", [{ ...long, id: "m" }]);
    copyFileSync(join(folder.path, "missing.jsonl"), join(folder.path, "missing.000000000001.jsonl"));
    rmSync(join(folder.path, "missing.jsonl"));
    await leave("torn", [{ ...long, id: "t" }]);
    writeFileSync(join(folder.path, "torn.jsonl"), '{"seq":2,"previous":"', { flag: "a" });
    await leave("rotated", [{ ...long, id: "r" }, ...SETTLED, ...SETTLED], 1_200);
    const b = await Looker.start("pod-b");
    await b.look();
    expect(b.ids.toSorted()).toEqual(["e", "m", "r", "t"]);
  });

  it("are reported once: by whichever of several gateways is first, also when they look at the same moment", async () => {
    await leave("pod-a", [OPEN]);
    const all = await Promise.all(["pod-b", "pod-c", "pod-d"].map((name) => Looker.start(name, 300)));
    await Promise.all(all.map((looker) => looker.look()));
    expect(all.flatMap(({ ids }) => ids)).toEqual(["open"]);
    expect(["pod-b", "pod-c", "pod-d"].flatMap(cutOffRecords)).toHaveLength(1);
  });

  it("are not told again by a gateway that starts later, by the one that told when it starts again, or by the owner", async () => {
    await leave("pod-a", [OPEN]);
    const b = await Looker.start("pod-b");
    await b.look();
    const later = await Looker.start("pod-c");
    await later.look();
    await b.look();
    const owner = await Looker.start("pod-a");
    // What its own start finds in its file.
    owner.watch.tell([OPEN]);
    await owner.look();
    expect([b.ids, later.ids, owner.ids]).toEqual([["open"], [], []]);
  });

  it("are reported by the owner that comes back first, and by nobody else", async () => {
    await leave("pod-a", [OPEN]);
    const b = await Looker.start("pod-b");
    const owner = await Looker.start("pod-a");
    owner.watch.tell([OPEN]);
    await owner.look();
    await b.look();
    expect([owner.ids, b.ids]).toEqual([["open"], []]);
    expect(cutOffRecords("pod-a")).toMatchObject([
      { message: expect.stringContaining('gateway "gateway-1" ended before') },
    ]);
  });

  it("are nobody's business while the owner lives, and its lock stays as it is", async () => {
    const owner = await folder.open({ path: join(folder.path, "pod-a.jsonl") });
    await owner.write(OPEN);
    const sockets = folder.sockets();
    const b = await Looker.start("pod-b");
    await b.look();
    await b.look();
    expect(b.ids).toEqual([]);
    expect(folder.sockets()).toEqual(expect.arrayContaining(sockets));
    await expect(folder.open({ path: join(folder.path, "pod-a.jsonl") })).rejects.toThrow("is in use by process");
  });

  it("are not told while the file changes: its owner is on another machine, where its lock cannot be seen", async () => {
    await leave("pod-a", [OPEN]);
    const b = await Looker.start("pod-b");
    await leave("pod-a", [{ ...OPEN, stage: "applied", status: 200 }, auditRecord("next")]);
    await b.look();
    await b.look();
    expect(b.ids).toEqual(["next"]);
  });

  it("are not those of a copy, whose outcomes are in another file", async () => {
    const owner = await folder.open({ path: join(folder.path, "pod-a.jsonl") });
    await owner.write(OPEN);
    copyFileSync(join(folder.path, "pod-a.jsonl"), join(folder.path, "pod-a-monday.jsonl"));
    await owner.write({ ...OPEN, stage: "applied", status: 200 });
    const b = await Looker.start("pod-b");
    await b.look();
    expect(b.ids).toEqual([]);
  });

  it("are reported beside files of the folder that are something else", async () => {
    folder.put('{"level":"info","stage":"intent","id":"x","time":"y"}\n', "monitor.jsonl");
    folder.put("", "nothing.jsonl");
    folder.put(Buffer.alloc(100_000, 0xff), "picture.jsonl");
    await leave("pod-a", [OPEN]);
    const b = await Looker.start("pod-b");
    await b.look();
    expect([b.ids, b.failures]).toEqual([["open"], []]);
  });
});
