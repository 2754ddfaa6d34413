import { describe, expect, it } from "vitest";
import {
  type BusMethod,
  type OperationName,
  operationNames,
  operationRecord,
  operations,
} from "../../src/core/operations/table.ts";
import { type Engine, EngineRejection } from "../../src/engine/engine.ts";
import { DEMO_LANDMARKS, type EngineLandmarks } from "../../src/testing/conformance/engine-fixture.ts";
import { EVERYTHING } from "../support/extent.ts";
import { judge, partOf, simulated } from "./judged.ts";
import { KnockingPeers, RootOnly } from "./odd-engines.ts";

/** Cases that have to be judged whatever kind of command an engine has. */
const GENERIC = /^(deadline|clock ahead|clock behind|order|examples|unsupported): /;

const READS: readonly string[] = operationNames.filter((name) => operationRecord(operations, name).lane === "read");

function without(...names: BusMethod[]): Engine {
  return partOf(simulated(), (name) => !names.includes(name));
}

function only(...beginnings: string[]): Engine {
  return partOf(simulated(), (name) => beginnings.some((part) => name.includes(part)));
}

/** Refuses the operations that it does not have as adapters do that know no other way. */
function rejecting(names: readonly OperationName[], engine = simulated()): Engine {
  const reject = (): never => {
    throw new EngineRejection("rejected", "not here");
  };
  return new Proxy(engine, {
    get: (target, name: OperationName) => (names.includes(name) ? reject : target[name]?.bind(target as never)),
  });
}

function leaving(out: keyof EngineLandmarks): EngineLandmarks {
  const { [out]: _left, ...others } = DEMO_LANDMARKS;
  return others;
}

const { projection, limits, rows } = DEMO_LANDMARKS.riskTable;

/** Landmarks one member at a time, of those within others, too. */
const LEFT_OUT: Readonly<Record<string, EngineLandmarks>> = {
  "the path to halt": leaving("haltPath"),
  "the odd path": leaving("oddHaltPath"),
  "the risk table": leaving("riskTable"),
  "the limits": { ...DEMO_LANDMARKS, riskTable: { projection, rows } },
  "the rows": { ...DEMO_LANDMARKS, riskTable: { projection, limits } },
  "the projection that is not configured": leaving("unconfiguredProjection"),
  "the positions": leaving("positions"),
  "the connector": leaving("connector"),
  "the algorithm": leaving("algorithm"),
  "the sessions": leaving("sessions"),
};

describe("D-TEST 8: the kit judges what an engine has, and says why the rest is not applicable", () => {
  it.each(Object.entries(LEFT_OUT).filter((_, index) => EVERYTHING || index % 3 === 0))(
    "without the landmark of %s",
    async (_what, landmarks) => {
      const { passed, notApplicable, failed } = await judge(simulated(), landmarks);
      expect(failed).toEqual({});
      expect(Object.keys(notApplicable)).not.toEqual([]);
      expect(Object.values(notApplicable).filter((reason) => !/^no /.test(reason))).toEqual([]);
      expect(passed.length).toBeGreaterThan(30);
    },
  );

  it("without any landmark, the generic cases are judged still", async () => {
    const { passed, failed, notApplicable } = await judge(simulated(), {});
    expect(failed).toEqual({});
    expect(Object.keys(notApplicable).filter((name) => GENERIC.test(name))).toEqual([]);
    expect(passed).toContain("trading: a halt of the root is system-wide, with cancelOrders too");
  });

  const lacking = EVERYTHING ? operationNames : (["resumeTrading", "listPositions", "enableFixSession"] as const);

  it.each(lacking)("without the operation %s, and no other case because of it", async (name) => {
    const { failed, notApplicable } = await judge(without(name), DEMO_LANDMARKS);
    expect(failed).toEqual({});
    expect(Object.keys(notApplicable)).not.toEqual([]);
    expect(Object.values(notApplicable).filter((reason) => !reason.includes(`no ${name}`))).toEqual([]);
  });

  it.each(["Trading", "Service", "Fix"])("an engine that has %s alone passes all generic cases", async (part) => {
    const { passed, failed, notApplicable } = await judge(only(part), DEMO_LANDMARKS);
    expect(failed).toEqual({});
    expect(Object.keys(notApplicable).filter((name) => GENERIC.test(name))).toEqual([]);
    const others = passed.filter((name) => !GENERIC.test(name) && !/^(bad requests|interleaving)/.test(name));
    expect(new Set(others.map((name) => name.split(":")[0]?.toLowerCase()))).toEqual(
      new Set([part === "Service" ? "services" : part.toLowerCase()]),
    );
  });

  it("an engine that only reads is judged by what it shows", async () => {
    const reads = partOf(simulated(), (name) => READS.includes(name));
    const { passed, failed } = await judge(reads, DEMO_LANDMARKS);
    expect(failed).toEqual({});
    expect(passed).toEqual(
      expect.arrayContaining([
        "risk: a table has its projection; each row has a value for each key, in order, and each limit once",
        "FIX: detail forms of gateways and sessions say the same as list forms",
        "services: each service is listed once, and one service reads as in the list",
        "positions: a filter on a key that the projection does not hold is rejected",
        "deadline: a read that comes after its deadline is rejected",
      ]),
    );
  });

  it("positions that cannot be adjusted are judged as they are", async () => {
    const engine = simulated();
    const context = { user: "test", requestId: "t-1", deadline: Number.MAX_SAFE_INTEGER };
    const size = { size: "5", relative: false };
    for (const projectionPath of DEMO_LANDMARKS.positions.paths) {
      await (engine as Engine).adjustPosition({ projectionPath, ...size }, context);
    }
    const { passed, failed } = await judge(
      partOf(engine, (name) => name === "listPositions"),
      DEMO_LANDMARKS,
    );
    expect(failed).toEqual({});
    expect(passed.filter((name) => name.startsWith("positions: "))).toHaveLength(5);
  });

  it("a table with one limit, and one row to insert", async () => {
    const riskTable = { projection, limits: limits.slice(0, 1), rows: rows.slice(0, 1) };
    const { passed, failed, notApplicable } = await judge(simulated(), { ...DEMO_LANDMARKS, riskTable });
    expect(failed).toEqual({});
    expect(notApplicable).toEqual({
      "risk: UPDATE leaves the limits that it does not name": "no second limit of a risk table",
      "risk: DELETE takes its row away and leaves all others as they are": "no second row to insert into a risk table",
      "risk: an update is all or nothing, wherever the bad command stands": "no second row to insert into a risk table",
    });
    expect(passed.filter((name) => name.startsWith("risk: ")).length).toBeGreaterThan(8);
  });

  it("an engine that can only be halted as a whole", async () => {
    const { passed, failed } = await judge(simulated(RootOnly), {});
    expect(failed).toEqual({});
    expect(passed.filter((name) => name.startsWith("trading: "))).toHaveLength(5);
    expect(passed.filter((name) => name.startsWith("order: "))).toHaveLength(2);
  });
});

describe("D-TEST 9: what an engine declares decides which cases are applicable", () => {
  const missing: readonly OperationName[] = ["adjustPosition", "disconnectFixSession", "updateRiskTable"];
  const declared = operationNames.filter((name) => !missing.includes(name));

  it("operations that are not declared are not asked for, however the engine refuses them", async () => {
    const { failed, notApplicable } = await judge(rejecting(missing), DEMO_LANDMARKS, { operations: declared });
    expect(failed).toEqual({});
    const reasons = Object.values(notApplicable).map((reason) => reason.replace(", no position of Account/Symbol", ""));
    expect(new Set(reasons)).toEqual(new Set(missing.map((name) => `no ${name}`)));
  });

  it("D-ENG 28: without a declaration, the operations that the engine names in its description are those", async () => {
    const engine = simulated();
    engine.describeEngine = () => ({ name: "A part", operations: [...declared, "describeEngine"] });
    const { failed, notApplicable } = await judge(rejecting(missing, engine), DEMO_LANDMARKS);
    expect(failed).toEqual({});
    const reasons = Object.values(notApplicable).join();
    for (const name of missing) expect(reasons).toContain(`no ${name}`);
    const asDeclared = await judge(rejecting(missing, engine), DEMO_LANDMARKS, { operations: operationNames });
    expect(Object.keys(asDeclared.failed)).not.toEqual([]);
  });

  it("D-ENG 28: an engine that refuses an operation of its description as unsupported fails", async () => {
    const part = new Proxy(without("enableService"), {
      get: (target, name) =>
        name === "describeEngine" ? () => simulated().describeEngine() : Reflect.get(target, name),
    });
    const { failed } = await judge(part, DEMO_LANDMARKS);
    expect(Object.values(failed)[0]).toMatch(/^enableService is declared, but the engine refuses it as unsupported/);
  });

  it("an engine that does not describe itself is judged by what it refuses as unsupported", async () => {
    const { failed, notApplicable } = await judge(without("describeEngine", "enableService"), DEMO_LANDMARKS);
    expect(failed).toEqual({});
    expect(Object.values(notApplicable)).toContain("no describeEngine");
    expect(Object.values(notApplicable)).toContain("no enableService");
  });

  it("one that is declared and refused fails", async () => {
    const { failed } = await judge(without("enableService"), DEMO_LANDMARKS, { operations: operationNames });
    expect(Object.keys(failed)).toContain(
      "services: a connector is disabled and enabled, which is seen then; twice is not an error",
    );
    expect(new Set(Object.values(failed))).toEqual(
      new Set([
        'enableService is declared, but the engine refuses it as unsupported: The engine has no method "enableService"',
      ]),
    );
  });
});

it("D-TEST 10: peers that knock all the time move counters, sequence numbers and times, and no case fails for it", async () => {
  const { failed, notApplicable } = await judge(simulated(KnockingPeers), DEMO_LANDMARKS);
  expect(failed).toEqual({});
  expect(notApplicable).toEqual({});
});
