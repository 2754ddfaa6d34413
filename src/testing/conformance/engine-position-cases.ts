import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Input, Output } from "../../core/operations/table.ts";
import {
  parseProjectionPath,
  positionField,
  positionFilter,
  printProjectionPath,
  STANDARD_PROJECTION_KEYS,
  SYMBOL_KEYS,
} from "../../core/values/projection.ts";
import {
  cleaningUp,
  complete,
  type EngineCase,
  type EngineClient,
  MALFORMED_PATHS,
  replyText,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Position = Output<"listPositions">[number];
type Adjustment = Omit<Input<"adjustPosition">, "projectionPath">;
type Values = Partial<Pick<Position, "size" | "averageCost" | "realizedPnL">>;

/** Digits that no binary floating-point number holds. */
const LONG = `-${"9".repeat(40)}.${"1".repeat(21)}3`;

/** One node of the landmarks' projection. */
class NodeUnderTest {
  readonly path: string;
  readonly #engine: EngineClient;
  readonly #projection: string;

  constructor(engine: EngineClient, projection: string, path: string) {
    this.#engine = engine;
    this.#projection = projection;
    this.path = path;
  }

  /** Filters that select this node alone. */
  get filters(): Readonly<Record<string, string>> {
    return Object.fromEntries(parseProjectionPath(this.path).map(({ key, value }) => [positionFilter(key), value]));
  }

  async adjust(adjustment: Adjustment, projectionPath = this.path): Promise<void> {
    assert.equal(await this.#engine.call("adjustPosition", { projectionPath, ...adjustment }), null, "result");
  }

  async list(filters: Readonly<Record<string, string>> = this.filters): Promise<Position[]> {
    return this.#engine.call("listPositions", { projection: this.#projection, ...filters });
  }

  /** Waits until the position has these values. */
  async shows(values: Values): Promise<void> {
    const expected = Object.entries(values);
    let position: Position | undefined;
    const what = `the position of ${this.path} shows ${JSON.stringify(values)}`;
    await this.#engine.timeLimit
      .until(what, async () => {
        [position] = await this.list();
        return expected.every(([field, value]) => position?.[field as keyof Values] === value);
      })
      .catch((cause: unknown) =>
        assert.fail(new Error(`expected that ${what}; the last read: ${JSON.stringify(position)}`, { cause })),
      );
  }

  async clear(): Promise<void> {
    await this.adjust({ size: "0", averageCost: "0", realizedPnL: "0" });
    await this.shows({ size: "0" });
  }
}

const symbolKeys: ReadonlySet<string> = new Set(SYMBOL_KEYS);

/** Fields of a position that carry projection keys. */
const KEY_FIELDS: ReadonlySet<string> = new Set(STANDARD_PROJECTION_KEYS.map(positionField));

/** The path of a position and its key fields have to say the same. */
function checkKeys(position: Position, projection: string): void {
  const segments = parseProjectionPath(position.projection);
  assert.deepEqual(
    segments.map(({ key }) => key),
    projection.split("/"),
    `keys of the position ${position.projection}`,
  );
  const expected = Object.fromEntries(segments.map(({ key, value }) => [positionField(key), value]));
  const found = Object.entries(position).filter(([field, value]) => KEY_FIELDS.has(field) && value !== undefined);
  assert.deepEqual(Object.fromEntries(found), expected, `key fields of the position ${position.projection}`);
}

/** Two nodes of the landmarks, and the engine that has them. */
interface Positions {
  readonly engine: EngineClient;
  readonly node: NodeUnderTest;
  readonly sibling: NodeUnderTest;
  readonly projection: string;
  readonly unconfigured: string;
  readonly foreignFilter: string;
}

const CHECKS: Readonly<Record<string, (positions: Positions) => Promise<void>>> = {
  "an adjustment sets size, average cost and realized PnL, and the position is seen then": async ({ node }) => {
    await node.adjust({ size: "-12.5", averageCost: "101.25", realizedPnL: "-7.125" });
    await node.shows({ size: "-12.5", averageCost: "101.25", realizedPnL: "-7.125" });
  },
  "a position has its path and the keys of its projection, and no others": async ({ node, projection }) => {
    await node.adjust({ size: "1" });
    await node.shows({ size: "1" });
    for (const position of await node.list({})) checkKeys(position, projection);
  },
  "filters narrow the result, exactly; all positions are there without": async ({ node, sibling }) => {
    await node.adjust({ size: "1" });
    await sibling.adjust({ size: "2" });
    await node.shows({ size: "1" });
    await sibling.shows({ size: "2" });
    assert.deepEqual(
      (await node.list()).map((position) => position.projection),
      [node.path],
    );
    const all = (await node.list({})).map((position) => position.projection);
    for (const { path } of [node, sibling]) assert.ok(all.includes(path), `${path} is not among ${all.join(", ")}`);
    for (const filter of Object.keys(node.filters)) {
      assert.deepEqual(
        await node.list({ ...node.filters, [filter]: "no such value" }),
        [],
        `${filter} without a match`,
      );
    }
  },
  "a filter on a key that the projection does not hold is rejected": async ({ engine, projection, foreignFilter }) => {
    await engine.refused("listPositions", { projection, [foreignFilter]: "x" }, "rejected");
  },
  "D-ENG 9: a projection that is not configured is rejected": async ({ engine, unconfigured }) => {
    await engine.refused("listPositions", { projection: unconfigured }, "rejected");
    await engine.refused("listPositions", { projection: "" }, "rejected");
    const unknown = await engine.ask("listPositions", { projection: "NoSuchKey/Symbol" });
    assert.ok(!unknown.ok, `positions of an unknown key were listed: ${replyText(unknown)}`);
  },
  "what an adjustment does not name stays; relative adds to the size": async ({ node }) => {
    await node.adjust({ size: "10", averageCost: "100", realizedPnL: "5" });
    await node.adjust({ size: "8" });
    await node.shows({ size: "8", averageCost: "100", realizedPnL: "5" });
    await node.adjust({ size: "-3.5", relative: true });
    await node.shows({ size: "4.5", averageCost: "100", realizedPnL: "5" });
    await node.adjust({ size: "0.25", relative: true, averageCost: "99", realizedPnL: "-1" });
    await node.shows({ size: "4.75", averageCost: "99", realizedPnL: "-1" });
  },
  "NaN stops tracking: the value is null until it is set again": async ({ node }) => {
    await node.adjust({ size: "10", averageCost: "100", realizedPnL: "5" });
    await node.shows({ size: "10", averageCost: "100", realizedPnL: "5" });
    await node.adjust({ size: "10", averageCost: "NaN", realizedPnL: "NaN" });
    await node.shows({ size: "10", averageCost: null, realizedPnL: null });
    await node.adjust({ size: "11" });
    await node.shows({ size: "11", averageCost: null, realizedPnL: null });
    await node.adjust({ size: "11", averageCost: "1.5", realizedPnL: "2.5" });
    await node.shows({ size: "11", averageCost: "1.5", realizedPnL: "2.5" });
  },
  "D-ENG 8: an adjustment changes only the named node": async ({ node, sibling }) => {
    await sibling.adjust({ size: "3", averageCost: "7", realizedPnL: "9" });
    await sibling.shows({ size: "3" });
    await node.adjust({ size: "77", averageCost: "1", realizedPnL: "2" });
    await node.shows({ size: "77" });
    await sibling.shows({ size: "3", averageCost: "7", realizedPnL: "9" });
  },
  "segments of the path in another order name the same node": async ({ node }) => {
    await node.adjust({ size: "6" }, printProjectionPath(parseProjectionPath(node.path).toReversed()));
    await node.shows({ size: "6" });
    assert.equal((await node.list())[0]?.projection, node.path, "path of the position");
  },
  "D-VAL 1: sizes keep all their digits": async ({ node }) => {
    await node.adjust({ size: LONG });
    await node.shows({ size: LONG });
  },
  "D-ENG 9: a path that names no node of a position projection is rejected": async ({ engine, node }) => {
    const segments = parseProjectionPath(node.path).filter(({ key }) => !symbolKeys.has(key));
    for (const projectionPath of ["", printProjectionPath(segments)]) {
      await engine.refused("adjustPosition", { projectionPath, size: "1" }, "rejected");
    }
  },
  "D-VAL 3: a malformed path is refused, and adjusts nothing": async ({ engine, node }) => {
    for (const projectionPath of [...MALFORMED_PATHS, `${node.path}/`, node.path.toLowerCase()]) {
      const input = { ...complete("adjustPosition", { projectionPath: node.path, size: "5" }), projectionPath };
      assert.ok(!(await engine.ask("adjustPosition", input)).ok, `"${projectionPath}" was accepted`);
    }
    await pause(50);
    await node.shows({ size: "0" });
  },
  "adjustments that are sent without waiting are applied in their order": async ({ node }) => {
    const sent = Array.from({ length: 20 }, (_, index) =>
      node.adjust({ size: String(index), relative: index % 2 === 1 }),
    );
    await Promise.all(sent);
    await node.shows({ size: "37" });
  },
};

/** Positions and adjustments (specification, "Positions"; decisions D-ENG 5, D-ENG 8, D-ENG 9). */
export function positionCases({ positions, unconfiguredProjection }: EngineLandmarks): EngineCase[] {
  const { projection, paths, foreignFilter } = positions;
  return Object.entries(CHECKS).map(([name, check]) => ({
    name: `positions: ${name}`,
    check: async (engine) => {
      const node = new NodeUnderTest(engine, projection, paths[0]);
      const sibling = new NodeUnderTest(engine, projection, paths[1]);
      await node.clear();
      await cleaningUp(
        () => check({ engine, node, sibling, projection, unconfigured: unconfiguredProjection, foreignFilter }),
        async () => {
          await node.clear();
          await sibling.clear();
        },
      );
    },
  }));
}
