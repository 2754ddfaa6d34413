import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type OperationName, operations } from "../../../src/core/operations/table.ts";
import type { AuditRecord, AuditStage } from "../../../src/core/records/record.ts";
import { KnownStops } from "../../../src/core/stops/known-stops.ts";
import { stopKinds } from "../../../src/core/stops/stoppable.ts";
import { isStopOf } from "../../../src/core/stops/words.ts";
import { projectionKeys } from "../../../src/core/values/projection.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const KEYS = projectionKeys();

function knowing(): KnownStops {
  return new KnownStops(operations, KEYS, new ManualClock(), 10_000);
}

const APPLIED: AuditRecord = {
  id: "id",
  time: "2026-01-05T09:31:00.000000Z",
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

let ids = 0;

/** Notes a command with its stages, as the audit records of one id. */
function note(stops: KnownStops, operation: OperationName, parameters: object, ...stages: AuditStage[]): void {
  ids += 1;
  const target = Object.values(parameters).join("/");
  for (const stage of stages.length > 0 ? stages : (["intent", "applied"] as const)) {
    const names = { id: `id-${ids}`, requestId: `request-${ids}` };
    stops.note({ ...APPLIED, ...names, stage, operation, target, parameters: { ...parameters } });
  }
}

const halt = (stops: KnownStops, path: string, ...stages: AuditStage[]): void =>
  note(stops, "haltTrading", { projectionPath: path }, ...stages);
const resume = (stops: KnownStops, path: string, ...stages: AuditStage[]): void =>
  note(stops, "resumeTrading", { projectionPath: path }, ...stages);

/** Paths that are known, halted or not. */
function nodesOf(stops: KnownStops): unknown[] {
  return stops.all.flatMap(({ kind, target }) => (kind.stop === "haltTrading" ? [target.projectionPath] : []));
}

describe("D-ENG 17: what was stopped is known from commands and their outcomes", () => {
  it("the operation table says which command takes which stop back, and which read shows it", () => {
    expect(stopKinds(operations).map(({ stop, undo, read }) => [stop, undo, read])).toEqual([
      ["haltTrading", "resumeTrading", "getTradingStatus"],
      ["disableService", "enableService", "getService"],
      ["disableFixSession", "enableFixSession", "getFixSession"],
    ]);
    // A stop that is undone and the command that undoes it act on the same target.
    for (const { stop, undo } of stopKinds(operations))
      expect(operations[stop].target).toEqual(operations[undo].target);
  });

  it("counts what is stopped by kind: nodes and the whole system, services, sessions; a disconnection lasts not", () => {
    const stops = knowing();
    halt(stops, "");
    halt(stops, "Account[A]");
    halt(stops, "Account[B]", "intent", "rejected");
    note(stops, "disableService", { name: "SIM" });
    note(stops, "disableFixSession", { gateway: "OE1", session: "A/B" });
    note(stops, "disconnectFixSession", { gateway: "OE1", session: "C" });
    const counted = (): number[] =>
      (["haltTrading", "disableService", "disableFixSession"] as const).map((stop) => stops.count(stop));
    expect(counted()).toEqual([2, 1, 1]);
    // Another session, although gateway and session give the same text.
    note(stops, "enableFixSession", { gateway: "OE1/A", session: "B" });
    expect(counted()).toEqual([2, 1, 1]);
    note(stops, "enableFixSession", { gateway: "OE1", session: "A/B" });
    note(stops, "enableService", { name: "SIM" });
    resume(stops, "");
    expect(counted()).toEqual([1, 0, 0]);
  });

  it.each([
    ["haltTrading", "resumeTrading", { projectionPath: "Account[A]" }],
    ["disableService", "enableService", { name: "SIM" }],
    ["disableFixSession", "enableFixSession", { gateway: "OE1", session: "A" }],
  ] as const)("the last one that was sent counts, whichever reply comes last: %s", (stop, undo, parameters) => {
    const stops = knowing();
    const sent = (operation: OperationName) => {
      ids += 1;
      const record = { ...APPLIED, id: `id-${ids}`, operation, parameters };
      stops.note({ ...record, stage: "intent" });
      return (stage: AuditStage): void => stops.note({ ...record, stage });
    };
    const [undone, stopped] = [sent(undo), sent(stop)];
    stopped("applied");
    undone("applied");
    expect(stops.count(stop)).toBe(1);
    const [doubted, again] = [sent(undo), sent(stop)];
    again("applied");
    doubted("unknown");
    expect(stops.find(stop, parameters)?.nextLook).toBeDefined();
    doubted("applied late");
    expect(stops.count(stop)).toBe(1);
    const [former, latest] = [sent(stop), sent(undo)];
    latest("applied");
    former("applied");
    expect(stops.count(stop)).toBe(0);
  });

  it("property: whatever is told in time, late or never, in whatever order, the last one that was carried out counts", () => {
    const outcome = fc.constantFrom<readonly AuditStage[]>(
      ["applied"],
      ["rejected"],
      ["unknown", "applied late"],
      ["unknown", "rejected late"],
    );
    const command = fc.record({ isStop: fc.boolean(), stages: outcome, delays: fc.tuple(fc.nat(20), fc.nat(20)) });
    const commands = fc.array(command, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(commands, (sent) => {
        const stops = knowing();
        const parameters = { projectionPath: "Account[A]" };
        const events = sent.flatMap(({ isStop, stages, delays }, place) => {
          const operation: OperationName = isStop ? "haltTrading" : "resumeTrading";
          const record = { ...APPLIED, id: `sent-${place}`, operation, parameters };
          const times = [place, place + delays[0], place + delays[0] + delays[1]];
          return (["intent", ...stages] as const).map((stage, index) => ({ at: times[index] ?? 0, ...record, stage }));
        });
        for (const { at: _, ...record } of events.toSorted((one, other) => one.at - other.at)) stops.note(record);
        const carriedOut = sent.filter(({ stages }) => stages.at(-1)?.startsWith("applied"));
        expect(stops.count("haltTrading")).toBe(carriedOut.at(-1)?.isStop ? 1 : 0);
      }),
      { numRuns: 300 },
    );
  });

  it("D-ENG 18: a resume of unknown outcome may be carried out until its deadline; only a later read disproves it", () => {
    const stops = knowing();
    halt(stops, "Account[A]");
    resume(stops, "Account[A]", "intent", "unknown");
    const node = stops.find("haltTrading", { projectionPath: "Account[A]" });
    const [shown, gone] = [{ halted: true, reason: null }, { halted: false }];
    const looks = [shown, gone, gone, shown, gone, gone] as const;
    const found = [6_000, 10_000, 14_000, 16_000, 31_000, 34_000].map(
      (at, look) => node?.compare(looks[look], at)?.stage,
    );
    expect(found).toEqual([undefined, undefined, undefined, undefined, undefined, "state-lost"]);
  });

  it("a resume whose order of segments is another takes the halt back", () => {
    const stops = knowing();
    halt(stops, "Account[A]/Symbol[X]");
    resume(stops, "Symbol[X]/Account[A]");
    expect(stops.count("haltTrading")).toBe(0);
  });

  it.each<[string, AuditStage[], number]>([
    ["was applied", ["intent", "applied"], 1],
    ["was applied late", ["intent", "unknown", "applied late"], 1],
    ["is of unknown outcome", ["intent", "unknown"], 0],
    ["was rejected late", ["intent", "unknown", "rejected late"], 0],
    ["is in progress", ["intent"], 0],
  ])("a halt that %s counts as one: %j", (_, stages, count) => {
    const stops = knowing();
    halt(stops, "Account[A]", ...stages);
    expect(stops.count("haltTrading")).toBe(count);
  });

  it("a late reply to a halt that was taken back meanwhile does not bring it back", () => {
    const stops = knowing();
    halt(stops, "Account[A]", "intent", "unknown");
    const late = ids;
    resume(stops, "Account[A]");
    ids = late - 1;
    halt(stops, "Account[A]", "applied late");
    expect(stops.count("haltTrading")).toBe(0);
  });

  it("what was only resumed is known, too, by its path", () => {
    const stops = knowing();
    for (const path of ["Account[A]", "Account[B]", "Account[A]", ""]) resume(stops, path);
    note(stops, "disableService", { name: "SIM" });
    expect(nodesOf(stops)).toEqual(["Account[B]", "Account[A]", ""]);
  });

  it("a halted node is not pushed out by 300 others that were halted, nor by 300 that were resumed", () => {
    const stops = knowing();
    halt(stops, "Account[GOLD]");
    for (let node = 0; node < 300; node += 1) halt(stops, `Account[${node}]`);
    for (let node = 0; node < 300; node += 1) resume(stops, `Trader[${node}]`);
    expect(nodesOf(stops)).toContain("Account[GOLD]");
    expect(stops.count("haltTrading")).toBe(301);
    for (let node = 0; node < 300; node += 1) resume(stops, `Account[${node}]`);
    expect(nodesOf(stops)).toContain("Account[GOLD]");
    expect(nodesOf(stops).length).toBeLessThanOrEqual(201);
  });

  it("how many stops had to make room for later ones is known, as nobody else would notice their loss; what was taken back is none", async () => {
    const stops = knowing();
    halt(stops, "Account[taken back]");
    resume(stops, "Account[taken back]");
    for (let index = 0; index < 5_000; index += 1) halt(stops, `Account[${index}]`);
    for (let index = 0; index < 300; index += 1) {
      halt(stops, `Account[x${index}]`, "intent", "rejected");
    }
    // A command in progress holds its place until it is refused, so one of them pushed the oldest out.
    expect(stops.forgotten).toBe(1);
    halt(stops, "Account[one more]");
    halt(stops, "Account[and one]");
    expect([stops.forgotten, stops.find("haltTrading", { projectionPath: "Account[0]" })]).toEqual([2, undefined]);
  });

  it("D-ENG 17: stops with long texts have 32 MiB together; their user's oldest make room, and nobody else's", () => {
    const stops = knowing();
    halt(stops, "Account[GOLD]");
    const long = { user: "bob", reason: "r".repeat(8 * 1024) };
    for (let index = 0; index < 3_000; index += 1) {
      const projectionPath = `Account[${index}]`;
      stops.note({ ...APPLIED, ...long, id: `long-${index}`, parameters: { projectionPath } });
    }
    const kept = stops.count("haltTrading");
    expect(kept * 2 * long.reason.length).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(kept + stops.forgotten).toBe(3_001);
    const isKnown = (path: string) => stops.find("haltTrading", { projectionPath: path }) !== undefined;
    expect(["Account[GOLD]", "Account[0]", "Account[2999]"].map(isKnown)).toEqual([true, false, true]);
    for (let index = 0; index < 3_000; index += 1) resume(stops, `Account[${index}]`);
    halt(stops, "Account[later]");
    expect([stops.count("haltTrading"), stops.forgotten]).toEqual([2, 3_001 - kept]);
  });

  it.each([
    ["the number", 4_100, 1_000],
    ["the bytes", 300, 2_800],
  ])(
    "whoever repeats others' stops with long reasons, and gives many, loses their own, where %s is too large",
    (_, own, others) => {
      const stops = knowing();
      const paths = Array.from({ length: others }, (_, index) => `Account[${index}]`);
      for (const path of paths) halt(stops, path);
      const mallory = (id: string, projectionPath: string, reason: string | null): void =>
        stops.note({ ...APPLIED, user: "mallory", id, reason, parameters: { projectionPath } });
      for (const path of paths) mallory(`repeats ${path}`, path, "\\u0001".repeat(1_024));
      for (let index = 0; index < own; index += 1) mallory(`own ${index}`, `Symbol[${index}]`, null);
      const kept = new Set(stops.inForce.map(({ targetFields }) => targetFields.projectionPath));
      expect(paths.filter((path) => !kept.has(path))).toEqual([]);
      expect(stops.all.length).toBeLessThanOrEqual(5_000);
    },
  );

  it("a record whose target was cut, or has an escape in place of a character, is left out", () => {
    const stops = knowing();
    note(stops, "haltTrading", { projectionPath: { count: 9, sha256: "0" } });
    halt(stops, "Account[A\\u202eB]");
    halt(stops, "Desk[A]");
    expect(nodesOf(stops)).toEqual([]);
    expect(stops.count("haltTrading")).toBe(0);
  });

  it("a command whose path has what looks like such an escape is known by its input", () => {
    const stops = knowing();
    const input = { projectionPath: "Account[A\\u202eB]" };
    stops.begins("haltTrading", "id", input);
    stops.note({ ...APPLIED, id: "id", parameters: input }, input);
    expect(stops.inForce).toMatchObject([{ operation: "haltTrading", target: input.projectionPath }]);
  });
});

describe("D-ENG 17: a stop that is repeated is known since the first, and by whom it was repeated", () => {
  const service = { name: "SIM" };

  /** Notes a command of a user at a second. */
  function by(stops: KnownStops, user: string, second: number, operation: OperationName, reason: string): void {
    ids += 1;
    const record = { ...APPLIED, id: `id-${ids}`, time: `2026-01-05T09:31:0${second}.000000Z`, user, operation };
    for (const stage of ["intent", "applied"] as const)
      stops.note({ ...record, target: "SIM", stage, reason, parameters: { ...service, reason } });
  }

  const at = (second: number): number => Date.UTC(2026, 0, 5, 9, 31, second);

  it("with the reason of each", () => {
    const stops = knowing();
    by(stops, "alice", 1, "disableService", "runaway");
    const named = { operation: "disableService", target: "SIM", targetFields: service };
    const first = { ...named, reason: "runaway", since: at(1), by: "alice" };
    expect(stops.inForce).toEqual([first]);
    by(stops, "bob", 2, "disableService", "really");
    by(stops, "carol", 3, "disableService", "sure");
    expect(stops.inForce).toEqual([{ ...first, repeated: { at: at(3), by: "carol", reason: "sure" } }]);
    expect(stops.count("disableService")).toBe(1);
  });

  it.each<[string, (stops: KnownStops) => void]>([
    ["was taken back", (stops) => by(stops, "alice", 2, "enableService", "over")],
    ["may have been taken back", (stops) => note(stops, "enableService", service, "intent", "unknown")],
  ])("but not where it %s in between", (_, between) => {
    const stops = knowing();
    by(stops, "alice", 1, "disableService", "runaway");
    between(stops);
    by(stops, "bob", 3, "disableService", "again");
    const { by: user, since, ...others } = stops.inForce[0] ?? {};
    expect([user, since, others]).toEqual(["bob", at(3), expect.not.objectContaining({ repeated: expect.anything() })]);
  });
});

it("D-ENG 17: two targets whose names, which may hold a /, give the same text are told apart", () => {
  const stops = knowing();
  const [one, other] = [
    { gateway: "A/B", session: "C" },
    { gateway: "A", session: "B/C" },
  ];
  for (const session of [one, other]) note(stops, "disableFixSession", session);
  expect(stops.inForce.map(({ target }) => target)).toEqual(["A/B/C", "A/B/C"]);
  expect(stops.inForce.map(({ targetFields }) => targetFields)).toEqual([one, other]);
  const found = [one, other].map((session) =>
    stops.inForce.filter((stop) => isStopOf(stop, "disableFixSession", session)),
  );
  expect(found.map((stopsOfOne) => stopsOfOne.map(({ targetFields }) => targetFields))).toEqual([[one], [other]]);
  expect(stops.inForce.some((stop) => isStopOf(stop, "disconnectFixSession", one))).toBe(false);
});

it("D-ENG 17: of a stop that was lost and is shown again nobody knows who gave it, until somebody gives it here", () => {
  const stops = knowing();
  note(stops, "disableService", { name: "SIM", reason: "maintenance" }, "intent", "applied");
  const [first] = stops.inForce;
  expect(first).toMatchObject({ operation: "disableService", target: "SIM", by: "alice" });
  const event = {
    ...APPLIED,
    id: `id-${ids}`,
    operation: "disableService",
    parameters: { name: "SIM" },
    event: "stop",
  };
  stops.note({ ...event, stage: "state-lost" } as AuditRecord);
  expect([stops.inForce, stops.lost[0]?.by]).toEqual([[], "alice"]);
  stops.note({ ...event, stage: "state-shown" } as AuditRecord);
  expect(stops.inForce).toEqual([{ ...first, by: null, reason: null }]);
  note(stops, "disableService", { name: "SIM" }, "intent", "applied");
  expect(stops.inForce[0]?.by).toBe("alice");
});
