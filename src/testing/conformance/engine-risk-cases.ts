import assert from "node:assert/strict";
import type { Input, Output } from "../../core/operations/table.ts";
import { STANDARD_PROJECTION_KEYS } from "../../core/values/projection.ts";
import { need } from "./applicable.ts";
import { casesAbout, cleaningUp, type EngineCheck, type EngineClient, replyText } from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Table = Output<"getRiskTable">;
type Command = Input<"updateRiskTable">["commands"][number];
type Conditions = Readonly<Record<string, string>>;

const NO_SUCH_LIMIT = "NoSuchLimit";

/** Digits that no binary floating-point number holds. */
const LONG = `${"9".repeat(40)}.${"1".repeat(22)}3`;

class TableUnderTest {
  readonly engine: EngineClient;
  readonly projection: string;

  constructor(engine: EngineClient, projection: string) {
    this.engine = engine;
    this.projection = projection;
  }

  read(): Promise<Table> {
    return this.engine.call("getRiskTable", { projection: this.projection });
  }

  update(...commands: Command[]): Promise<Table> {
    return this.engine.call("updateRiskTable", { projection: this.projection, commands });
  }

  /** An update that has to be rejected and must not change anything; returns the reason. */
  async rejects(...commands: Command[]): Promise<string> {
    const before = await this.read();
    const { projection } = this;
    const reason = await this.engine.refused("updateRiskTable", { projection, commands }, "rejected");
    assert.deepEqual(await this.read(), before, "the table after a rejected update");
    return reason;
  }

  command(type: Command["type"], conditions: Conditions, limits?: Command["limits"]): Command {
    return { type, conditions: { ...conditions }, ...(limits && { limits }) };
  }

  async tidy(rows: readonly Conditions[]): Promise<void> {
    for (const conditions of rows) {
      if (rowOf(await this.read(), conditions)) await this.update(this.command("DELETE", conditions));
    }
  }
}

function rowOf({ rows }: Table, conditions: Conditions): Table["rows"][number] | undefined {
  return rows.find((row) => sameConditions(row.conditions, conditions));
}

function sameConditions(one: Conditions, other: Conditions): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

class Names {
  readonly #riskTable: EngineLandmarks["riskTable"];

  constructor({ riskTable }: EngineLandmarks) {
    this.#riskTable = riskTable;
  }

  get row(): Conditions {
    return need(this.#riskTable?.rows?.[0], "row to insert into a risk table");
  }

  get other(): Conditions {
    return need(this.#riskTable?.rows?.[1], "second row to insert into a risk table");
  }

  get limit(): string {
    return need(this.#riskTable?.limits?.[0], "limit of a risk table");
  }

  get otherLimit(): string {
    return need(this.#riskTable?.limits?.[1], "second limit of a risk table");
  }

  get limits(): readonly string[] {
    return this.#riskTable?.limits ?? [];
  }
}

function tableOf(engine: EngineClient, { riskTable }: EngineLandmarks): TableUnderTest {
  return new TableUnderTest(engine, need(riskTable, "risk table").projection);
}

/** A check that changes the table. The rows of the landmarks are deleted before and afterwards. */
function updating(check: (table: TableUnderTest, names: Names) => Promise<void>): EngineCheck {
  return async (engine, landmarks) => {
    const table = tableOf(engine, landmarks);
    const rows = landmarks.riskTable?.rows ?? [];
    await table.tidy(rows);
    await cleaningUp(
      () => check(table, new Names(landmarks)),
      () => table.tidy(rows),
    );
  };
}

async function checkForeignKeys(table: TableUnderTest, { row, limit }: Names): Promise<void> {
  const before = await table.read();
  const [first = ""] = Object.keys(row);
  const { [first]: _left, ...missing } = row;
  const foreign = STANDARD_PROJECTION_KEYS.find((key) => !Object.hasOwn(row, key)) ?? "NoSuchKey";
  for (const conditions of [missing, { ...row, [foreign]: "x" }, {}]) {
    const commands = [table.command("INSERT", conditions, { [limit]: "1" })];
    const reply = await table.engine.ask("updateRiskTable", { projection: table.projection, commands });
    assert.ok(!reply.ok, `INSERT with the conditions ${JSON.stringify(conditions)} was accepted`);
  }
  assert.deepEqual(await table.read(), before);
}

async function checkUnconfigured(engine: EngineClient, { unconfiguredProjection }: EngineLandmarks): Promise<void> {
  const projection = need(unconfiguredProjection, "projection that is not configured");
  await engine.refused("getRiskTable", { projection }, "rejected");
  const unknown = await engine.ask("getRiskTable", { projection: "NoSuchKey" });
  assert.ok(!unknown.ok, `the table of an unknown key was returned: ${replyText(unknown)}`);
  const keys = projection.split("/").map((key) => [key, "*"]);
  const commands: Command[] = [{ type: "UPDATE", conditions: Object.fromEntries(keys) }];
  await engine.refused("updateRiskTable", { projection, commands }, "rejected");
}

async function checkSequence(table: TableUnderTest, { row, limit }: Names): Promise<void> {
  await table.update(table.command("INSERT", row));
  const numbers = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const sent = numbers.flatMap((text) => [table.update(table.command("UPDATE", row, { [limit]: text })), table.read()]);
  const seen = (await Promise.all(sent)).map((result) => rowOf(result, row)?.limits[limit]);
  assert.deepEqual(
    seen,
    numbers.flatMap((text) => [text, text]),
  );
}

/** Risk tables (specification, "Risk limits"; decisions D-ENG 8 and D-VAL 4). */
export const riskCases = casesAbout("risk", {
  "a table has its projection; each row has a value for each key, in order, and each limit once": async (
    engine,
    landmarks,
  ) => {
    const table = tableOf(engine, landmarks);
    const { projection, rows } = await table.read();
    assert.equal(projection, table.projection);
    const columns = Object.keys(rows[0]?.limits ?? {}).toSorted();
    for (const { conditions, limits } of rows) {
      assert.deepEqual(Object.keys(conditions), projection.split("/"), "keys of a row's conditions");
      assert.deepEqual(Object.keys(limits).toSorted(), columns, "limits of a row");
    }
    if (rows.length === 0) return;
    for (const name of new Names(landmarks).limits) assert.ok(columns.includes(name), `the table has no limit ${name}`);
  },
  "INSERT adds a row, limits that are not given are unlimited, the reply is the table that is read then": updating(
    async (table, { row, limit, limits }) => {
      const result = await table.update(table.command("INSERT", row, { [limit]: "12.5" }));
      const inserted = rowOf(result, row)?.limits;
      const others = limits.filter((name) => name !== limit).map((name) => [name, null]);
      for (const [name, value] of [[limit, "12.5"], ...others])
        assert.equal(inserted?.[name ?? ""], value, `limit ${name}`);
      assert.deepEqual(
        Object.keys(rowOf(result, row)?.conditions ?? {}),
        table.projection.split("/"),
        "keys of the row",
      );
      assert.deepEqual(await table.read(), result);
    },
  ),
  "UPDATE changes the limits it names; null is unlimited": updating(async (table, { row, limit }) => {
    await table.update(table.command("INSERT", row, { [limit]: "1" }));
    const changed = await table.update(table.command("UPDATE", row, { [limit]: "2.5" }));
    assert.equal(rowOf(changed, row)?.limits[limit], "2.5", "the limit that was named");
    const result = await table.update(table.command("UPDATE", row, { [limit]: null }));
    assert.equal(rowOf(result, row)?.limits[limit], null, "the limit that was set to null");
  }),
  "UPDATE leaves the limits that it does not name": updating(async (table, { row, limit, otherLimit }) => {
    await table.update(table.command("INSERT", row, { [limit]: "1", [otherLimit]: "2" }));
    const result = await table.update(table.command("UPDATE", row, { [limit]: null }));
    assert.equal(rowOf(result, row)?.limits[limit], null, "the limit that was named");
    assert.equal(rowOf(result, row)?.limits[otherLimit], "2", "the limit that was not named");
  }),
  // D-ENG 8
  "UPDATE inserts a missing row": updating(async (table, { row, limit }) => {
    const before = await table.read();
    const result = await table.update(table.command("UPDATE", row, { [limit]: "3" }));
    assert.equal(rowOf(result, row)?.limits[limit], "3");
    assert.equal(result.rows.length, before.rows.length + 1, "number of rows");
  }),
  "DELETE takes its row away and leaves all others as they are": updating(async (table, { row, other, limit }) => {
    const before = await table.update(table.command("INSERT", row, { [limit]: "1" }));
    await table.update(table.command("INSERT", other));
    assert.deepEqual(await table.update(table.command("DELETE", other)), before);
  }),
  "commands of one request are applied one after the other": updating(async (table, { row, limit }) => {
    const result = await table.update(
      table.command("INSERT", row, { [limit]: "1" }),
      table.command("DELETE", row),
      table.command("INSERT", row, { [limit]: "2" }),
      table.command("UPDATE", row, { [limit]: "4" }),
    );
    assert.equal(rowOf(result, row)?.limits[limit], "4");
  }),
  // D-ENG 8
  "INSERT of a row that exists is rejected": updating(async (table, { row, limit }) => {
    await table.update(table.command("INSERT", row));
    await table.rejects(table.command("INSERT", row, { [limit]: "1" }));
  }),
  // D-ENG 8
  "DELETE of a row that does not exist is rejected": updating(async (table, { row }) => {
    await table.rejects(table.command("DELETE", row));
  }),
  // D-ENG 8
  "an update is all or nothing, wherever the bad command stands": updating(async (table, { row, other, limit }) => {
    const good = [table.command("INSERT", row, { [limit]: "1" }), table.command("UPDATE", other, { [limit]: "2" })];
    const bad = table.command("INSERT", row);
    await table.rejects(...good, bad);
    await table.update(table.command("INSERT", row, { [limit]: "5" }));
    await table.rejects(table.command("DELETE", other), table.command("UPDATE", row, { [limit]: "6" }));
    await table.rejects(table.command("UPDATE", row, { [limit]: "7" }), bad, table.command("DELETE", row));
  }),
  // D-VAL 4
  "a limit that the table does not have is rejected, and the reason names it": updating(
    async (table, { row, limit }) => {
      const insert = await table.rejects(table.command("INSERT", row, { [limit]: "1", [NO_SUCH_LIMIT]: "1" }));
      assert.ok(insert.includes(NO_SUCH_LIMIT), `the reason does not name ${NO_SUCH_LIMIT}: ${insert}`);
      await table.update(table.command("INSERT", row));
      const update = await table.rejects(table.command("UPDATE", row, { [NO_SUCH_LIMIT]: null }));
      assert.ok(update.includes(NO_SUCH_LIMIT), `the reason does not name ${NO_SUCH_LIMIT}: ${update}`);
    },
  ),
  // D-VAL 4
  "conditions with other keys than the projection's are refused and change nothing": updating(checkForeignKeys),
  // D-VAL 1
  "limits keep all their digits": updating(async (table, { row, limit }) => {
    for (const text of [LONG, "0"]) {
      const result = await table.update(table.command("UPDATE", row, { [limit]: text }));
      assert.equal(rowOf(result, row)?.limits[limit], text);
      assert.equal(rowOf(await table.read(), row)?.limits[limit], text, "the limit that is read");
    }
  }),
  // D-ENG 8
  "a projection that is not configured has no table": checkUnconfigured,
  "updates and reads that are sent without waiting are carried out in their order": updating(checkSequence),
});
