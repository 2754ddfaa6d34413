import assert from "node:assert/strict";
import type { Input, Output } from "../../core/operations/table.ts";
import { STANDARD_PROJECTION_KEYS } from "../../core/values/projection.ts";
import { cleaningUp, type EngineCase, type EngineClient, replyText } from "./engine-client.ts";
import type { EngineLandmarks } from "./engine-fixture.ts";

type Table = Output<"getRiskTable">;
type Row = Table["rows"][number];
type Command = Input<"updateRiskTable">["commands"][number];
type Conditions = Readonly<Record<string, string>>;

const NO_SUCH_LIMIT = "NoSuchLimit";

/** Digits that no binary floating-point number holds. */
const LONG = `${"9".repeat(40)}.${"1".repeat(22)}3`;

/** The table of the landmarks, and what cases do with it. */
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

  /** Deletes rows that cases insert. */
  async tidy(rows: readonly Conditions[]): Promise<void> {
    for (const conditions of rows) {
      if (rowOf(await this.read(), conditions)) await this.update(this.command("DELETE", conditions));
    }
  }
}

function rowOf({ rows }: Table, conditions: Conditions): Row | undefined {
  return rows.find((row) => sameConditions(row.conditions, conditions));
}

function sameConditions(one: Conditions, other: Conditions): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** What cases use of the landmarks. */
interface Names {
  readonly row: Conditions;
  readonly other: Conditions;
  readonly limit: string;
  readonly otherLimit: string;
  readonly unconfigured: string;
}

const CHECKS: Readonly<Record<string, (table: TableUnderTest, names: Names) => Promise<void>>> = {
  "a table has its projection; each row has a value for each key, in order, and each limit once": async (
    table,
    { row, other, limit, otherLimit },
  ) => {
    const { projection, rows } = await table.update(table.command("INSERT", row), table.command("INSERT", other));
    assert.equal(projection, table.projection);
    const columns = Object.keys(rows[0]?.limits ?? {}).toSorted();
    for (const name of [limit, otherLimit]) assert.ok(columns.includes(name), `the table has no limit ${name}`);
    for (const { conditions, limits } of rows) {
      assert.deepEqual(Object.keys(conditions), projection.split("/"), "keys of a row's conditions");
      assert.deepEqual(Object.keys(limits).toSorted(), columns, "limits of a row");
    }
  },
  "INSERT adds a row, limits that are not given are unlimited, the reply is the table that is read then": async (
    table,
    { row, limit, otherLimit },
  ) => {
    const result = await table.update(table.command("INSERT", row, { [limit]: "12.5" }));
    assert.equal(rowOf(result, row)?.limits[limit], "12.5");
    assert.equal(rowOf(result, row)?.limits[otherLimit], null, "a limit that was not given");
    assert.deepEqual(await table.read(), result);
  },
  "UPDATE changes the limits it names and leaves the others; null is unlimited": async (
    table,
    { row, limit, otherLimit },
  ) => {
    await table.update(table.command("INSERT", row, { [limit]: "1", [otherLimit]: "2" }));
    const result = await table.update(table.command("UPDATE", row, { [limit]: null }));
    assert.equal(rowOf(result, row)?.limits[limit], null, "the limit that was named");
    assert.equal(rowOf(result, row)?.limits[otherLimit], "2", "the limit that was not named");
  },
  "D-ENG 8: UPDATE inserts a missing row": async (table, { row, other, otherLimit }) => {
    const result = await table.update(table.command("UPDATE", other, { [otherLimit]: "3" }));
    assert.equal(rowOf(result, other)?.limits[otherLimit], "3");
    assert.equal(rowOf(result, row), undefined, "a row that was not named");
  },
  "DELETE takes its row away and leaves all others as they are": async (table, { row, other, limit }) => {
    const before = await table.update(table.command("INSERT", row, { [limit]: "1" }));
    await table.update(table.command("INSERT", other));
    assert.deepEqual(await table.update(table.command("DELETE", other)), before);
  },
  "commands of one request are applied one after the other": async (table, { row, limit, otherLimit }) => {
    const result = await table.update(
      table.command("INSERT", row, { [limit]: "1" }),
      table.command("DELETE", row),
      table.command("INSERT", row, { [limit]: "2" }),
      table.command("UPDATE", row, { [otherLimit]: "4" }),
    );
    assert.equal(rowOf(result, row)?.limits[limit], "2");
    assert.equal(rowOf(result, row)?.limits[otherLimit], "4");
  },
  "D-ENG 8: INSERT of a row that exists is rejected": async (table, { row, limit }) => {
    await table.update(table.command("INSERT", row));
    await table.rejects(table.command("INSERT", row, { [limit]: "1" }));
  },
  "D-ENG 8: DELETE of a row that does not exist is rejected": async (table, { row }) => {
    await table.rejects(table.command("DELETE", row));
  },
  "D-ENG 8: an update is all or nothing, wherever the bad command stands": async (table, { row, other, limit }) => {
    const good = [table.command("INSERT", row, { [limit]: "1" }), table.command("UPDATE", other, { [limit]: "2" })];
    const bad = table.command("INSERT", row);
    await table.rejects(...good, bad);
    await table.update(table.command("INSERT", row, { [limit]: "5" }));
    await table.rejects(table.command("DELETE", other), table.command("UPDATE", row, { [limit]: "6" }));
    await table.rejects(table.command("UPDATE", row, { [limit]: "7" }), bad, table.command("DELETE", row));
  },
  "D-VAL 4: a limit that the table does not have is rejected, and the reason names it": async (
    table,
    { row, limit },
  ) => {
    const insert = await table.rejects(table.command("INSERT", row, { [limit]: "1", [NO_SUCH_LIMIT]: "1" }));
    assert.ok(insert.includes(NO_SUCH_LIMIT), `the reason does not name ${NO_SUCH_LIMIT}: ${insert}`);
    await table.update(table.command("INSERT", row));
    const update = await table.rejects(table.command("UPDATE", row, { [NO_SUCH_LIMIT]: null }));
    assert.ok(update.includes(NO_SUCH_LIMIT), `the reason does not name ${NO_SUCH_LIMIT}: ${update}`);
  },
  "D-VAL 4: conditions with other keys than the projection's are refused and change nothing": async (
    table,
    { row, limit },
  ) => {
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
  },
  "D-VAL 1: limits keep all their digits": async (table, { row, limit, otherLimit }) => {
    const result = await table.update(table.command("INSERT", row, { [limit]: LONG, [otherLimit]: "0" }));
    assert.equal(rowOf(result, row)?.limits[limit], LONG);
    assert.equal(rowOf(await table.read(), row)?.limits[otherLimit], "0", "a limit of zero");
  },
  "D-ENG 8: a projection that is not configured has no table": async (table, { unconfigured }) => {
    await table.engine.refused("getRiskTable", { projection: unconfigured }, "rejected");
    const keys = unconfigured.split("/").map((key) => [key, "*"]);
    const commands: Command[] = [{ type: "UPDATE", conditions: Object.fromEntries(keys) }];
    await table.engine.refused("updateRiskTable", { projection: unconfigured, commands }, "rejected");
    const unknown = await table.engine.ask("getRiskTable", { projection: "NoSuchKey" });
    assert.ok(!unknown.ok, `the table of an unknown key was returned: ${replyText(unknown)}`);
  },
  "updates and reads that are sent without waiting are carried out in their order": async (table, { row, limit }) => {
    await table.update(table.command("INSERT", row));
    const numbers = Array.from({ length: 20 }, (_, index) => String(index + 1));
    const sent = numbers.flatMap((text) => [
      table.update(table.command("UPDATE", row, { [limit]: text })),
      table.read(),
    ]);
    const seen = (await Promise.all(sent)).map((result) => rowOf(result, row)?.limits[limit]);
    assert.deepEqual(
      seen,
      numbers.flatMap((text) => [text, text]),
    );
  },
};

/** Risk tables (specification, "Risk limits"; decisions D-ENG 8 and D-VAL 4). */
export function riskCases({ riskTable, unconfiguredProjection }: EngineLandmarks): EngineCase[] {
  const { projection, rows, limits } = riskTable;
  const [row, other] = rows;
  const [limit, otherLimit] = limits;
  const names = { row, other, limit, otherLimit, unconfigured: unconfiguredProjection };
  return Object.entries(CHECKS).map(([name, check]) => ({
    name: `risk: ${name}`,
    check: async (engine) => {
      const table = new TableUnderTest(engine, projection);
      await table.tidy(rows);
      await cleaningUp(
        () => check(table, names),
        () => table.tidy(rows),
      );
    },
  }));
}
