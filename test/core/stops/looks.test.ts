import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LinkState } from "../../../src/core/engine/transport.ts";
import { Listeners } from "../../../src/core/events.ts";
import { Gate } from "../../../src/core/load/gate.ts";
import { operations } from "../../../src/core/operations/table.ts";
import type { AuditRecord } from "../../../src/core/records/record.ts";
import { KnownStops } from "../../../src/core/stops/known-stops.ts";
import { StopCheck } from "../../../src/core/stops/stop-check.ts";
import { projectionKeys } from "../../../src/core/values/projection.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { cases } from "../../support/extent.ts";

/** The smallest step of the held clock. */
const STEP_MS = 100;

const HALT: AuditRecord = {
  id: "",
  time: "2026-01-05T09:30:00.000000Z",
  stage: "applied",
  gateway: "gw",
  user: "alice",
  authentication: "basic",
  address: null,
  operation: "haltTrading",
  target: "",
  parameters: {},
  reason: null,
  requestId: "request",
};

/** What a read comes to, and how long it takes. */
interface Answer {
  readonly says: "shown" | "missing" | "failed";
  readonly takesMs: number;
}

/** Beginning and end of a read, in milliseconds since the start; the end is undefined as long as it lasts. */
interface Look extends Answer {
  readonly path: string;
  readonly from: number;
  until?: number;
}

/** Compares halts of nodes with an engine whose answers are given. */
class Looking {
  readonly looks: Look[] = [];
  /** Paths of the halts that were reported as lost, with the time. */
  readonly lost: [path: string, at: number][] = [];
  link: LinkState = "up";
  readonly #clock = new ManualClock();
  readonly #stops = new KnownStops(operations, projectionKeys(), this.#clock, 10_000);
  readonly #check: StopCheck;
  readonly #answer: (path: string) => Answer;

  constructor(answer: (path: string) => Answer) {
    this.#answer = answer;
    const link = (): LinkState => this.link;
    this.#check = new StopCheck({
      stops: this.#stops,
      reads: { own: (_name, input) => this.#read((input as { projectionPath: string }).projectionPath) as never },
      transport: {
        get state() {
          return link();
        },
      },
      trail: {
        noticed: (stage, stop, message) => ({ ...stop, stage, event: stage, message }),
        keep: () => Promise.resolve(true),
        timeoutMs: 10_000,
      },
      listeners: this.#listeners(),
      cutOff: { tell: () => {} },
      gate: new Gate(this.#clock),
      clock: this.#clock,
      isOn: true,
    });
  }

  get now(): number {
    return this.#clock.monotonic();
  }

  halt(...paths: string[]): void {
    for (const path of paths) {
      const named = { target: path, parameters: { projectionPath: path }, id: `${path} ${this.now}` };
      for (const stage of ["intent", "applied"] as const) this.#stops.note({ ...HALT, ...named, stage });
    }
  }

  /** There is a new link to the engine. */
  connect(): void {
    this.#check.soon();
  }

  async pass(ms: number): Promise<void> {
    await this.#settle();
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      this.#clock.advance(STEP_MS);
      await this.#settle();
    }
  }

  /** When the reads of a path began. */
  readsOf(path: string): number[] {
    return this.looks.flatMap((look) => (look.path === path ? [look.from] : []));
  }

  /** What is due runs, and so does what follows from it, in no time. */
  async #settle(): Promise<void> {
    for (let turns = 0; turns < 3; turns += 1) {
      this.#clock.advance(0);
      await turn();
    }
  }

  async #read(path: string): Promise<unknown> {
    const look: Look = { path, from: this.now, ...this.#answer(path) };
    this.looks.push(look);
    if (look.takesMs > 0) await new Promise<void>((resolve) => void this.#clock.schedule(look.takesMs, resolve));
    look.until = this.now;
    if (look.says === "failed") throw new Error("the engine did not respond");
    return { halted: look.says === "shown", reason: null };
  }

  #listeners(): Listeners {
    const listeners = new Listeners();
    listeners.on("stateLost", ({ target }) => this.lost.push([target ?? "", this.now]));
    return listeners;
  }
}

const SHOWN: Answer = { says: "shown", takesMs: 0 };
const MISSING: Answer = { says: "missing", takesMs: 0 };
const FAILED: Answer = { says: "failed", takesMs: 0 };

const NODE = "Account[GOLD]";

describe("D-ENG 18: a lost stop is reported two seconds after a new link", () => {
  it("also while the read of another one takes longer than that", async () => {
    let isForgotten = false;
    const slow = { says: "missing", takesMs: 9_000 } as const;
    const looking = new Looking((path) => (isForgotten ? (path === NODE ? MISSING : slow) : SHOWN));
    looking.halt("Account[SLOW]", NODE);
    await looking.pass(6_000);
    isForgotten = true;
    looking.connect();
    await looking.pass(25_000);
    expect(looking.lost).toEqual([
      [NODE, 6_000 + 2_000],
      ["Account[SLOW]", 6_000 + 9_000 + 2_000 + 9_000],
    ]);
  });

  it("also when the first reads fail: they are repeated after 1, 2, 4 and 8 seconds, then every 15", async () => {
    let failures = 0;
    const looking: Looking = new Looking(() => {
      failures -= 1;
      return failures >= 0 ? FAILED : looking.readsOf(NODE).length > 1 ? MISSING : SHOWN;
    });
    looking.halt(NODE);
    await looking.pass(6_000);
    failures = 1;
    looking.connect();
    await looking.pass(4_000);
    expect(looking.lost).toEqual([[NODE, 6_000 + 1_000 + 2_000]]);
    failures = 6;
    looking.connect();
    await looking.pass(50_000);
    const since = looking.readsOf(NODE).map((from) => from - 10_000);
    expect(since.slice(-7)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 30_000, 45_000]);
  });

  it("also of many, of which the engine does not show any, with four reads at a time", async () => {
    const looking = new Looking(() => ({ says: "missing", takesMs: 500 }));
    const paths = Array.from({ length: 40 }, (_, index) => `Account[A${index}]`);
    looking.halt(...paths);
    // All first reads take 5 seconds, and all second ones as long.
    await looking.pass(5_000 + 5_000 + 5_000);
    expect(looking.lost.map(([path]) => path).sort()).toEqual([...paths].sort());
  });

  it("and once a link is up again that was down, whether or not anybody says so", async () => {
    let isForgotten = false;
    const looking = new Looking(() => (isForgotten ? MISSING : SHOWN));
    looking.halt(NODE);
    await looking.pass(6_000);
    looking.link = "down";
    await looking.pass(30_000);
    isForgotten = true;
    looking.link = "up";
    await looking.pass(4_000);
    expect(looking.readsOf(NODE).filter((from) => from > 6_000 && from <= 36_000)).toEqual([]);
    expect(looking.lost).toEqual([[NODE, expect.any(Number)]]);
  });
});

/** Something that happens to the stops, so many milliseconds after what was before it. */
interface Happening {
  readonly afterMs: number;
  readonly what: "connect" | "halt";
}

/** What has happened, with its time. */
interface Happened extends Happening {
  readonly at: number;
}

/** When the next look at a halt has to begin that was given at 0, as the decision says it. */
class Due {
  next = 5_000;
  #settled = 5_000;
  #retryMs = 1_000;
  #missedAt: number | undefined;
  #isLost = false;

  /** What has happened with the stop after `earliest`, up to which it was being looked at. */
  happened({ what, at }: Happened, earliest: number): void {
    if (what === "halt") [this.#settled, this.#missedAt, this.#isLost] = [at + 5_000, undefined, false];
    [this.next, this.#retryMs] = [Math.max(at, this.#settled, earliest), 1_000];
  }

  looked(says: Answer["says"], at: number): void {
    const pauseMs = says === "failed" ? this.#retryMs : 15_000;
    this.#retryMs = says === "failed" ? Math.min(this.#retryMs * 2, 15_000) : 1_000;
    this.next = at + pauseMs;
    if (says === "shown") [this.#missedAt, this.#isLost] = [undefined, false];
    if (says !== "missing" || this.#isLost) return;
    this.#missedAt ??= at;
    this.#isLost = at - this.#missedAt >= 2_000;
    if (!this.#isLost) this.next = this.#missedAt + 2_000;
  }
}

/** Expects each look at a halt to begin when it is due; returns when the one after the last is due. */
function checkTimes(looks: readonly Look[], happened: readonly Happened[]): number {
  const due = new Due();
  const waiting = [...happened];
  const happens = (until: () => number, earliest: number): boolean => {
    const before = waiting.length;
    for (let first = waiting[0]; first && first.at < until(); first = waiting[0]) {
      waiting.shift();
      due.happened(first, earliest);
    }
    return waiting.length < before;
  };
  for (const { says, from, until = Number.POSITIVE_INFINITY } of looks) {
    happens(() => due.next, 0);
    expect(from).toBe(due.next);
    // What was read across a command or a new link proves nothing.
    if (!happens(() => until, until)) due.looked(says, until);
  }
  happens(() => due.next, 0);
  return due.next;
}

const tenths = (max: number): fc.Arbitrary<number> => fc.nat(max / STEP_MS).map((steps) => steps * STEP_MS);

const answer: fc.Arbitrary<Answer> = fc.record({
  says: fc.constantFrom("shown", "missing", "missing", "failed"),
  takesMs: fc.oneof(fc.constant(0), tenths(4_000)),
});
const happening: fc.Arbitrary<Happening> = fc.record({
  afterMs: tenths(20_000),
  what: fc.constantFrom("connect", "connect", "halt"),
});

describe("D-ENG 18: no look at a stop is dropped, early or late", () => {
  it("whatever the reads show, however long they take, and whenever links come up and stops are repeated", async () => {
    const paths = ["Account[A]", "Account[B]", "Account[C]"];
    const answers = fc.tuple(...paths.map(() => fc.array(answer, { minLength: 1, maxLength: 8 })));
    const property = fc.asyncProperty(answers, fc.array(happening, { maxLength: 8 }), async (given, happenings) => {
      const looking: Looking = new Looking((path) => {
        const own = given[paths.indexOf(path)] ?? [];
        return own[looking.readsOf(path).length % own.length] ?? SHOWN;
      });
      looking.halt(...paths);
      const happened: Happened[] = [];
      for (const { afterMs, what } of happenings) {
        await looking.pass(afterMs);
        happened.push({ afterMs, what, at: looking.now });
        if (what === "halt") looking.halt(...paths);
        else looking.connect();
      }
      await looking.pass(20_000);
      for (const path of paths) {
        const looks = looking.looks.filter((look) => look.path === path);
        expect(checkTimes(looks, happened)).toBeGreaterThan(looking.now);
      }
    });
    await fc.assert(property, { numRuns: cases(150) });
  });
});
