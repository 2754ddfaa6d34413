import { describe, expect, it } from "vitest";
import { LastCommands } from "../../src/core/records/last-commands.ts";
import type { AuditRecord, AuditStage } from "../../src/core/records/record.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

function record(id: string, stage: AuditStage, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id,
    time: "2026-01-05T09:31:00.000000Z",
    stage,
    gateway: "gw",
    user: "alice",
    authentication: "basic",
    address: null,
    operation: "haltTrading",
    target: "",
    parameters: {},
    reason: null,
    requestId: id,
    ...more,
  };
}

/** At 09:30:00 of the day, unless told otherwise. */
function lastCommands(lapsed: AuditRecord[] = [], clock = new ManualClock()) {
  return new LastCommands({ clock, onLapsed: async (requests) => lapsed.push(...requests) });
}

async function* past(...records: readonly AuditRecord[]): AsyncGenerator<AuditRecord> {
  yield* records;
}

async function recall(commands: LastCommands, ...records: readonly AuditRecord[]): Promise<number> {
  let count = 0;
  for await (const _ of commands.recalled(past(...records))) count += 1;
  return count;
}

function told({ all }: LastCommands): (readonly [string, string | undefined])[] {
  return all.map(({ intent, outcome }) => [intent.id, outcome] as const);
}

/** A request of 09:31 for a thing of its own. */
const waits = (id: string, more: Partial<AuditRecord> = {}): AuditRecord => {
  const annotations = { awaitedUntil: "2026-01-05T09:36:00.000Z" };
  const what = { operation: "enableService", target: id, parameters: { name: id } } as const;
  return record(id, "denied", { ...what, annotations, ...more });
};
const ids = (commands: LastCommands): string[] => commands.all.map(({ intent }) => intent.id);
const numbered = (count: number, name: string): string[] => Array.from({ length: count }, (_, at) => `${name}${at}`);

describe("D-PAGE 21: the last commands, by earlier records and those of this process", () => {
  it("have the latest outcome; one that is in progress has none, and one whose process has ended is unknown", async () => {
    const commands = lastCommands();
    const kept: AuditRecord[] = [];
    const sink = commands.noting({ write: (written) => void kept.push(written) });
    await sink.write(record("own", "intent"));
    await sink.write(record("own", "unknown"));
    await sink.write(record("own", "applied late"));
    await sink.write(record("waits", "intent"));
    const handedOn = await recall(
      commands,
      record("done", "intent"),
      record("done", "applied"),
      record("cut", "intent"),
    );
    expect(told(commands)).toEqual([
      ["done", "applied"],
      ["cut", "unknown"],
      ["own", "applied late"],
      ["waits", undefined],
    ]);
    expect([kept.length, handedOn], "every record is passed on").toEqual([4, 3]);
  });

  it("have a change that waits for a second person, until somebody has sent it", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    const awaited = { annotations: { awaitedUntil: "2026-01-05T09:36:00.000Z", awaitedIn: "store" } };
    await recall(commands, record("before", "denied", { ...awaited, parameters: { cancelOrders: true } }));
    await sink.write(record("alice", "denied", { ...awaited, message: "needs a second person" }));
    expect(told(commands)).toEqual([
      ["before", "denied"],
      ["alice", "denied"],
    ]);
    expect(commands.all[1]?.message).toBe("needs a second person");
    for (const requestId of ["alice", "before"]) {
      const annotations = { requestedBy: "alice", requestId };
      await sink.write(record(`bob for ${requestId}`, "intent", { annotations }));
      await sink.write(record(`bob for ${requestId}`, "applied", { annotations }));
    }
    expect(told(commands)).toEqual([
      ["bob for alice", "applied"],
      ["bob for before", "applied"],
    ]);
  });

  it("have no change that waits once it was sent, however often its user had asked", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    const annotations = { awaitedUntil: "2026-01-05T09:36:00.000Z" };
    for (const [id, name] of [
      ["first", "TWAP"],
      ["again", "TWAP"],
      ["other", "VWAP"],
    ] as const) {
      await sink.write(record(id, "denied", { target: name, parameters: { name, reason: id }, annotations }));
    }
    const sent = { requestedBy: "alice", requestId: "again" };
    await sink.write(record("bob", "intent", { target: "TWAP", parameters: { name: "TWAP" }, annotations: sent }));
    expect(told(commands).map(([id]) => id)).toEqual(["other", "bob"]);
  });

  it("have no change that waits once a stop of the same thing has come, but of this process after earlier records", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    const waits = (id: string, target: string) =>
      record(id, "denied", {
        operation: "resumeTrading",
        target,
        parameters: { projectionPath: target },
        annotations: { awaitedUntil: "2026-01-05T09:36:00.000Z" },
      });
    await sink.write(waits("gold", "Account[GOLD]/Symbol[A]"));
    await sink.write(waits("silver", "Account[SILVER]"));
    await recall(commands, record("earlier", "intent", { target: "Symbol[A]/Account[GOLD]" }));
    expect(told(commands).map(([id]) => id)).toEqual(["earlier", "gold", "silver"]);
    await sink.write(record("halt", "intent", { user: "carol", target: "Symbol[A]/Account[GOLD]" }));
    expect(told(commands).map(([id]) => id)).toEqual(["earlier", "silver", "halt"]);
  });

  it("have a change that waits also where another user's, or another change, has the same request id", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    await sink.write(
      record("bob", "denied", { user: "bob", annotations: { awaitedUntil: "2026-01-05T09:36:00.000Z" } }),
    );
    const sent = (requestedBy: string, operation: "haltTrading" | "resumeTrading") =>
      sink.write(
        record(`${requestedBy} ${operation}`, "intent", { operation, annotations: { requestedBy, requestId: "bob" } }),
      );
    await sent("mallory", "haltTrading");
    await sent("bob", "resumeTrading");
    expect(told(commands)[0]).toEqual(["bob", "denied"]);
    await sent("bob", "haltTrading");
    expect(told(commands)[0]).toEqual(["mallory haltTrading", undefined]);
  });

  it("keep a command that was sent, whatever another one names as its request", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    await sink.write(record("sent", "intent"));
    await sink.write(record("sent", "applied"));
    await sink.write(record("other", "intent", { annotations: { requestId: "sent" } }));
    expect(told(commands)).toEqual([
      ["sent", "applied"],
      ["other", undefined],
    ]);
  });

  it("are commands alone: no refusal without an intent, no failed login, nothing that the gateway noticed itself", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    await sink.write(record("refused", "denied"));
    await sink.write(record("login", "login-refused", { operation: null, user: "mallory" }));
    await sink.write(record("halt", "intent"));
    await sink.write(record("halt", "applied"));
    await sink.write(record("halt", "state-lost", { event: "state-lost", message: "forgotten" }));
    expect(told(commands)).toEqual([["halt", "applied"]]);
    expect(commands.all[0]?.message).toBeUndefined();
  });

  it("have what the engine shows of a stop whose outcome was unknown, sent by this process or an earlier one", async () => {
    const commands = lastCommands();
    const shown = { event: "state-shown", message: "the engine shows it" } as const;
    await recall(commands, record("cut", "intent"), record("late", "intent"), record("late", "unknown"));
    const sink = commands.noting({ write: () => {} });
    for (const id of ["own", "again"]) await sink.write(record(id, "intent"));
    await sink.write(record("own", "unknown"));
    await sink.write(record("again", "applied"));
    for (const id of ["cut", "late", "own", "again"]) await sink.write(record(id, "state-shown", shown));
    expect(told(commands)).toEqual([
      ["cut", "state-shown"],
      ["late", "state-shown"],
      ["own", "state-shown"],
      ["again", "applied"],
    ]);
  });

  it("are the last 25, however many there were", async () => {
    const commands = lastCommands();
    const all = numbered(60, "c");
    await recall(commands, ...all.slice(0, 40).map((id) => record(id, "intent")));
    const sink = commands.noting({ write: () => {} });
    for (const id of all.slice(40)) await sink.write(record(id, "intent"));
    expect(ids(commands)).toEqual(all.slice(-25));
  });

  it("D-UAC 23: have all that wait beside the last 25, until their time is over", async () => {
    const clock = new ManualClock();
    const commands = lastCommands([], clock);
    const sink = commands.noting({ write: () => {} });
    await sink.write(waits("alice"));
    const halts = numbered(60, "halt");
    for (const id of halts) await sink.write(record(id, "intent", { user: "mallory" }));
    expect(ids(commands)).toEqual(["alice", ...halts.slice(-25)]);
    clock.advance(360_000);
    expect(ids(commands)).toEqual(halts.slice(-25));
  });

  it("D-UAC 23: have 100 of one user that wait, as many as are kept, and 500 of all: nobody pushes out those of others", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => {} });
    await sink.write(waits("alice"));
    const many = numbered(260, "m");
    for (const id of many) await sink.write(waits(id, { user: "mallory" }));
    expect(ids(commands)).toEqual(["alice", ...many.slice(-100)]);
    for (const user of numbered(8, "u")) for (const id of numbered(100, user)) await sink.write(waits(id, { user }));
    expect(commands.all).toHaveLength(500);
  });

  it("D-UAC 23: have none that waited in the memory of an earlier process, which is told once; what waits in a store still does", async () => {
    const lapsed: AuditRecord[] = [];
    const commands = lastCommands(lapsed);
    const inStore = { awaitedUntil: "2026-01-05T09:36:00.000Z", awaitedIn: "store" };
    const over = { awaitedUntil: "2026-01-05T09:29:00.000Z" };
    const former = [
      waits("told"),
      record("about", "lapsed", { event: "lapsed", operation: null, ids: ["told"] }),
      waits("gone"),
      waits("over", { annotations: over }),
      waits("stored", { annotations: inStore }),
    ];
    const seen: string[][] = [];
    for await (const _ of commands.recalled(past(...former))) seen.push(ids(commands));
    expect(seen.flat(), "nor while the records are read").not.toContain("gone");
    expect(ids(commands)).toEqual(["over", "stored"]);
    expect(lapsed.map(({ id }) => id)).toEqual(["gone"]);
  });

  it("are reported though the sink fails: the command may have been sent", async () => {
    const commands = lastCommands();
    const sink = commands.noting({ write: () => Promise.reject(new Error("disk full")) });
    await expect(sink.write(record("halt", "intent"))).rejects.toThrow("disk full");
    expect(told(commands)).toEqual([["halt", undefined]]);
  });
});
