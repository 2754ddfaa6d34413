import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Input, Output } from "../../core/operations/table.ts";
import {
  type PathSegment,
  parseProjectionPath,
  positionField,
  positionFilter,
  printProjectionPath,
  STANDARD_PROJECTION_KEYS,
  SYMBOL_KEYS,
} from "../../core/values/projection.ts";
import { firstApplicable, NotApplicable, need } from "./applicable.ts";
import {
  casesAbout,
  cleaningUp,
  complete,
  type EngineCheck,
  type EngineClient,
  MALFORMED_PATHS,
  replyText,
} from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Position = Output<"listPositions">[number];
type Values = Partial<Pick<Position, "size" | "averageCost" | "realizedPnL">>;

/** Digits that no binary floating-point number holds. */
const LONG_BUT_LAST = `-${"9".repeat(40)}.${"1".repeat(21)}`;
const LONG = `${LONG_BUT_LAST}3`;

/** The least by which a size of this many digits can change. */
const LAST_DIGIT = `0.${"0".repeat(21)}1`;

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
    return filtersOf(this.path);
  }

  async adjust(adjustment: Omit<Input<"adjustPosition">, "projectionPath">, projectionPath = this.path): Promise<void> {
    assert.equal(await this.#engine.call("adjustPosition", { projectionPath, ...adjustment }), null, "result");
  }

  async list(filters: Readonly<Record<string, string>> = this.filters): Promise<Position[]> {
    return this.#engine.call("listPositions", { projection: this.#projection, ...filters });
  }

  async shows(values: Values): Promise<void> {
    const expected = Object.entries(values);
    await this.#engine.timeLimit.untilRead(
      `the position of ${this.path} shows ${JSON.stringify(values)}`,
      async () => (await this.list())[0],
      (position) => expected.every(([field, value]) => position?.[field as keyof Values] === value),
    );
  }

  async clear(): Promise<void> {
    await this.adjust({ size: "0", averageCost: "0", realizedPnL: "0" });
    await this.shows({ size: "0" });
  }
}

/** Positions whose filters are tried: an installation may have thousands. */
const MAX_FILTERED = 20;

const symbolKeys: ReadonlySet<string> = new Set(SYMBOL_KEYS);

/** Segments that have their own field in a position: all, but only the first of the symbol keys. */
function toldSegments(path: string): PathSegment[] {
  const segments = parseProjectionPath(path);
  const told = SYMBOL_KEYS.find((symbolKey) => segments.some(({ key }) => key === symbolKey));
  return segments.filter(({ key }) => key === told || !symbolKeys.has(key));
}

/** Filters that select the node of a path alone. */
function filtersOf(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(toldSegments(path).map(({ key, value }) => [positionFilter(key), value]));
}

/** Fields of a position that carry projection keys. */
const KEY_FIELDS: ReadonlySet<string> = new Set(STANDARD_PROJECTION_KEYS.map(positionField));

/** The path of a position and its key fields have to say the same. */
function checkKeys(position: Position, projection: string): void {
  assert.deepEqual(
    parseProjectionPath(position.projection).map(({ key }) => key),
    projection.split("/"),
    `keys of the position ${position.projection}`,
  );
  const told = toldSegments(position.projection);
  const expected = Object.fromEntries(told.map(({ key, value }) => [positionField(key), value]));
  const found = Object.entries(position).filter(([field, value]) => KEY_FIELDS.has(field) && value !== undefined);
  assert.deepEqual(Object.fromEntries(found), expected, `key fields of the position ${position.projection}`);
}

function projectionOf({ positions }: EngineLandmarks): string {
  return need(positions, "position projection").projection;
}

function nodeOf(engine: EngineClient, { positions }: EngineLandmarks, index: number): NodeUnderTest {
  const { projection, paths } = need(positions, "position projection");
  const what = index === 0 ? "position to adjust" : "second position to adjust";
  return new NodeUnderTest(engine, projection, need(paths?.[index], what));
}

/** Nodes of the landmarks to adjust, and the engine that has them. */
interface Adjustable {
  readonly engine: EngineClient;
  readonly node: NodeUnderTest;
  /** A node that has to stay as it is; not applicable where there is none. */
  readonly sibling: () => NodeUnderTest;
}

/** A check that adjusts positions, which are 0 before and afterwards. */
function adjusting(check: (positions: Adjustable) => Promise<void>): EngineCheck {
  return async (engine, landmarks) => {
    const nodes = (landmarks.positions?.paths ?? []).map((_, index) => nodeOf(engine, landmarks, index));
    const node = nodeOf(engine, landmarks, 0);
    for (const each of nodes) await each.clear();
    await cleaningUp(
      () => check({ engine, node, sibling: () => nodeOf(engine, landmarks, 1) }),
      async () => {
        for (const each of nodes) await each.clear();
      },
    );
  };
}

/** A check of what is listed: after an adjustment where the engine takes any, else of the positions that there are. */
function listing(
  check: (engine: EngineClient, listed: readonly Position[], projection: string) => Promise<void>,
): EngineCheck {
  const asItIs: EngineCheck = async (engine, landmarks) => {
    const projection = projectionOf(landmarks);
    const listed = await engine.call("listPositions", { projection });
    if (listed.length === 0) throw new NotApplicable(`no position of ${projection}`);
    await check(engine, listed, projection);
  };
  const adjusted: EngineCheck = (engine, landmarks) =>
    adjusting(async ({ node }) => {
      await node.adjust({ size: "1" });
      await node.shows({ size: "1" });
      await asItIs(engine, landmarks);
    })(engine, landmarks);
  return (engine, landmarks) => firstApplicable([adjusted, asItIs], (attempt) => attempt(engine, landmarks));
}

/** Each position, filtered for, is found alone; a value that none has finds nothing. */
async function checkFilters(engine: EngineClient, listed: readonly Position[], projection: string): Promise<void> {
  for (const { projection: path } of listed.slice(-MAX_FILTERED)) {
    const filters = filtersOf(path);
    const found = await engine.call("listPositions", { projection, ...filters });
    assert.deepEqual(
      found.map((position) => position.projection),
      [path],
      `positions for ${JSON.stringify(filters)}`,
    );
    for (const filter of Object.keys(filters)) {
      const none = await engine.call("listPositions", { projection, ...filters, [filter]: "no such value" });
      assert.deepEqual(none, [], `${filter} without a match`);
    }
  }
}

async function checkUnconfigured(engine: EngineClient, { unconfiguredProjection }: EngineLandmarks): Promise<void> {
  const unknown = await engine.ask("listPositions", { projection: "NoSuchKey/Symbol" });
  assert.ok(!unknown.ok, `positions of an unknown key were listed: ${replyText(unknown)}`);
  await engine.refused("listPositions", { projection: "" }, "rejected");
  const projection = need(unconfiguredProjection, "projection that is not configured");
  await engine.refused("listPositions", { projection }, "rejected");
}

async function checkMalformed({ engine, node }: Adjustable): Promise<void> {
  for (const projectionPath of [...MALFORMED_PATHS, `${node.path}/`, node.path.toLowerCase()]) {
    const input = { ...complete("adjustPosition", { projectionPath: node.path, size: "5" }), projectionPath };
    assert.ok(!(await engine.ask("adjustPosition", input)).ok, `"${projectionPath}" was accepted`);
  }
  await pause(50);
  await node.shows({ size: "0" });
}

async function checkTracking({ node }: Adjustable): Promise<void> {
  await node.adjust({ size: "10", averageCost: "100", realizedPnL: "5" });
  await node.shows({ size: "10", averageCost: "100", realizedPnL: "5" });
  await node.adjust({ size: "10", averageCost: "NaN", realizedPnL: "NaN" });
  await node.shows({ size: "10", averageCost: null, realizedPnL: null });
  await node.adjust({ size: "11" });
  await node.shows({ size: "11", averageCost: null, realizedPnL: null });
  await node.adjust({ size: "11", averageCost: "1.5", realizedPnL: "2.5" });
  await node.shows({ size: "11", averageCost: "1.5", realizedPnL: "2.5" });
}

async function checkParts({ node }: Adjustable): Promise<void> {
  await node.adjust({ size: "10", averageCost: "100", realizedPnL: "5" });
  await node.adjust({ size: "8" });
  await node.shows({ size: "8", averageCost: "100", realizedPnL: "5" });
  await node.adjust({ size: "-3.5", relative: true });
  await node.shows({ size: "4.5", averageCost: "100", realizedPnL: "5" });
  await node.adjust({ size: "0.25", relative: true, averageCost: "99", realizedPnL: "-1" });
  await node.shows({ size: "4.75", averageCost: "99", realizedPnL: "-1" });
}

/** Positions and adjustments (specification, "Positions"; decisions D-ENG 5, D-ENG 8, D-ENG 9). */
export const positionCases = casesAbout("positions", {
  "a position has its path and the keys of its projection, and no others": listing(
    async (_engine, listed, projection) => {
      for (const position of listed) checkKeys(position, projection);
    },
  ),
  "each node is listed once": listing(async (_engine, listed) => {
    const paths = listed.map(({ projection }) => projection);
    assert.equal(new Set(paths).size, paths.length, `a node is listed twice: ${paths.join(", ")}`);
  }),
  "filters narrow the result, exactly": listing(checkFilters),
  "a filter on a key that the projection does not hold is rejected": async (engine, landmarks) => {
    const projection = projectionOf(landmarks);
    const filter = need(landmarks.positions?.foreignFilter, "filter whose key the position projection does not hold");
    await engine.refused("listPositions", { projection, [filter]: "x" }, "rejected");
  },
  // D-ENG 9
  "a projection that is not configured is rejected": checkUnconfigured,
  "an adjustment sets size, average cost and realized PnL, and the position is seen then": adjusting(
    async ({ node }) => {
      await node.adjust({ size: "-12.5", averageCost: "101.25", realizedPnL: "-7.125" });
      await node.shows({ size: "-12.5", averageCost: "101.25", realizedPnL: "-7.125" });
    },
  ),
  "all positions are there without a filter": adjusting(async ({ node, sibling }) => {
    const other = sibling();
    await node.adjust({ size: "1" });
    await other.adjust({ size: "2" });
    await node.shows({ size: "1" });
    await other.shows({ size: "2" });
    const all = (await node.list({})).map((position) => position.projection);
    for (const { path } of [node, other]) assert.ok(all.includes(path), `${path} is not among ${all.join(", ")}`);
  }),
  "what an adjustment does not name stays; relative adds to the size": adjusting(checkParts),
  "NaN stops tracking: the value is null until it is set again": adjusting(checkTracking),
  // D-ENG 8
  "an adjustment changes only the named node": adjusting(async ({ node, sibling }) => {
    const other = sibling();
    await other.adjust({ size: "3", averageCost: "7", realizedPnL: "9" });
    await other.shows({ size: "3" });
    await node.adjust({ size: "77", averageCost: "1", realizedPnL: "2" });
    await node.shows({ size: "77" });
    await other.shows({ size: "3", averageCost: "7", realizedPnL: "9" });
  }),
  "segments of the path in another order name the same node": adjusting(async ({ node }) => {
    await node.adjust({ size: "6" }, printProjectionPath(parseProjectionPath(node.path).toReversed()));
    await node.shows({ size: "6" });
    assert.equal((await node.list())[0]?.projection, node.path, "path of the position");
  }),
  // D-VAL 1
  "sizes keep all their digits": adjusting(async ({ node }) => {
    await node.adjust({ size: LONG });
    await node.shows({ size: LONG });
    // Decimal types round sums to 20 to 34 digits unless configured otherwise.
    await node.adjust({ size: LAST_DIGIT, relative: true });
    await node.shows({ size: `${LONG_BUT_LAST}2` });
  }),
  // D-ENG 9
  "a path that names no node of a position projection is rejected": adjusting(async ({ engine, node }) => {
    const segments = parseProjectionPath(node.path).filter(({ key }) => !symbolKeys.has(key));
    for (const projectionPath of ["", printProjectionPath(segments)]) {
      await engine.refused("adjustPosition", { projectionPath, size: "1" }, "rejected");
    }
  }),
  // D-VAL 3
  "a malformed path is refused, and adjusts nothing": adjusting(checkMalformed),
  "adjustments that are sent without waiting are applied in their order": adjusting(async ({ node }) => {
    const sent = Array.from({ length: 20 }, (_, index) =>
      node.adjust({ size: String(index), relative: index % 2 === 1 }),
    );
    await Promise.all(sent);
    await node.shows({ size: "37" });
  }),
});
