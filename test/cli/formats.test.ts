import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { json, ScriptedServer } from "../client/scripted-server.ts";
import { exampleReply } from "../support/example-reply.ts";
import { requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";
import { Workplace } from "./workplace.ts";

/** Has a position. */
const NODE = "Account[GOLD]/Symbol[AAPL]";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
  await installation.run("positions", "adjust", NODE, "--size", "1", "--yes");
});

afterAll(() => installation.close());

const READS: readonly (readonly string[])[] = [
  ["trading", "status"],
  ["risk", "table", "Account/Symbol"],
  ["positions", "list", "Account/Symbol"],
  ["services", "list"],
  ["services", "show", "TWAP"],
  ["fix", "gateways"],
  ["fix", "sessions", "OE1"],
  ["fix", "session", "OE1", "FIXCLIENT1"],
];

/** Fields of CSV (RFC 4180), by lines. */
function fieldsOf(text: string): string[][] {
  const lines = text.match(/(?:"(?:[^"]|"")*"|[^"\r\n])*\r\n/g) ?? [];
  expect(lines.join("")).toBe(text);
  return lines.map((line) =>
    (line.slice(0, -2).match(/(?:^|,)(?:"(?:[^"]|"")*"|[^",]*)/g) ?? [])
      .map((field) => field.replace(/^,/, ""))
      .map((field) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field)),
  );
}

describe("--output yaml and csv", () => {
  it.each(READS)("%s %s: YAML holds what JSON holds, decimals as the same text", async (...args) => {
    const { code, stdout } = await installation.run(...args, "-o", "yaml");
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual(await installation.json(...args));
  });

  it("CSV has the names of the API's fields, a line for each element, and exact values", async () => {
    const services = (await installation.json("services", "list")) as Record<string, unknown>[];
    const [head = [], ...lines] = fieldsOf((await installation.run("services", "list", "-o", "csv")).stdout);
    expect(new Set(head)).toEqual(new Set(services.flatMap(Object.keys)));
    const text = (value: unknown): string => (value === null ? "" : String(value));
    expect(lines).toEqual(services.map((service) => head.map((name) => text(service[name]))));
  });

  it("what CSV and YAML would read as something else is quoted", async () => {
    const names = ['a "b", c', "line\nbreak", "007", "no", "", "1e5"];
    const services = names.map((name) => exampleReply("listServices", { name, status: null }));
    const server = await ScriptedServer.start((response) => json(response, 200, services));
    const workplace = new Workplace();
    const environment = {
      TRADING_ADMIN_URL: server.origin,
      TRADING_ADMIN_USER: "desk",
      TRADING_ADMIN_PASSWORD: PASSWORD,
    };
    const list = (format: string) => workplace.run(["services", "list", "-o", format], "", environment);
    try {
      expect(parse((await list("yaml")).stdout)).toEqual(services);
      const [head = [], ...lines] = fieldsOf((await list("csv")).stdout);
      const shown = names.map((name) => name.replace("\n", "\\u000a"));
      expect(lines.map((line) => line[head.indexOf("name")])).toEqual(shown);
    } finally {
      await workplace.close();
    }
  });

  it("of a command both print the one object that JSON prints", async () => {
    const args = ["services", "disable", "TWAP", "--reason", "drill, really"];
    const { stdout } = await installation.run(...args, "-o", "yaml");
    expect(parse(stdout)).toMatchObject({ operation: "disableService", outcome: "done", input: { name: "TWAP" } });
    const [head = [], line = []] = fieldsOf((await installation.run(...args, "-o", "csv")).stdout);
    expect(line).toHaveLength(head.length);
    expect(line[head.indexOf("outcome")]).toBe("done");
  });
});

describe("D-CLI 14: where all is well, data for programs comes without a word on standard error", () => {
  it.each([...READS, ["trading", "status", NODE], ["doctor"]])("%s %s", async (...args) => {
    for (const format of ["json", "csv"]) {
      const { code, stderr } = await installation.run(...args, "-o", format);
      expect({ args, format, code, stderr }).toEqual({ args, format, code: 0, stderr: "" });
    }
  });
});

describe("D-PAGE 4: a table of positions", () => {
  const position = (account: string, symbol: string, size: string | null) => ({
    projection: `Account[${account}]/Symbol[${symbol}]`,
    ...{ account, symbol, size, averageCost: null, realizedPnL: "1.5", unrealizedPnL: null },
    ...{ marketValue: null, totalCommission: null, openBuySize: "0", openSellSize: null },
  });

  async function listed(...positions: ReturnType<typeof position>[]): Promise<string> {
    const server = await ScriptedServer.start((response) => json(response, 200, positions));
    const { environment, workplace } = installation;
    const at = { ...environment, TRADING_ADMIN_URL: server.origin };
    return (await workplace.run(["positions", "list", "Account/Symbol", "-o", "wide"], "", at)).stdout;
  }

  it("of one symbol has totals, and none where a value is unknown", async () => {
    const text = await listed(position("A", "AAPL", "100"), position("B", "AAPL", "-90.5"));
    expect(text).toMatch(/^TOTAL +9\.5 +- +3 +- +- +0 +-$/m);
  });

  it.each([
    ["different symbols", [position("A", "AAPL", "100"), position("A", "MSFT", "5")]],
    ["nothing", []],
  ])("of %s has none", async (_, positions) => {
    expect(await listed(...positions)).not.toMatch(/^TOTAL\b/m);
  });
});

describe("a name that does not exist is refused with what was perhaps meant, or with the known names", () => {
  it.each([
    [["fix", "session", "OE1", "FIXCLENT1"], 'did you mean "FIXCLIENT1"?'],
    [["fix", "disable", "OE1", "FIXCLIENT", "--no-wait"], 'did you mean "FIXCLIENT'],
    [["fix", "enable", "OE1", "FIXCLIENTT2", "--yes", "--no-wait"], 'did you mean "FIXCLIENT2"?'],
    [["fix", "session", "OE", "FIXCLIENT1"], 'did you mean "OE1"?'],
    [["services", "show", "TWA"], 'did you mean "TWAP"?'],
    [["halt", "all"], "for all trading, leave the path out"],
    [["halt", "account[GOLD]"], 'did you mean "Account[GOLD]"?'],
    [["halt", "Acount[GOLD]/symbol[EUR/USD]"], 'did you mean "Account[GOLD]/Symbol[EUR/USD]"?'],
    [["halt", "Account[GOLD"], 'did you mean "Account[GOLD]"?'],
    [["trading", "status", "Account=GOLD"], 'did you mean "Account[GOLD]"?'],
    [["resume", "traedr[bjones]", "--yes"], 'did you mean "Trader[bjones]"?'],
    [["halt", "no such node"], "a path is written Key[value], such as Account[GOLD]"],
    [["positions", "list", "account/symbl"], 'did you mean "Account/Symbol"?'],
    [["risk", "table", "Acount"], 'did you mean "Account"?'],
    [["services", "show", "NONE"], "known: SIM, NASDAQ1"],
  ])("%j says so", async (args, hint) => {
    const { code, stderr } = await installation.run(...args);
    expect([code, stderr]).toEqual([5, expect.stringContaining(hint)]);
  });

  it.each(["NEWDESK", "newdesk"])("D-CLI 25: the name of a node that has positions is found: %s", async (name) => {
    const path = "Account[NEWDESK]/Symbol[AAPL]";
    await installation.run("positions", "adjust", path, "--size", "5", "--yes");
    const { code, stderr } = await installation.run("halt", name);
    expect([code, stderr]).toEqual([5, expect.stringContaining('did you mean "Account[NEWDESK]"?')]);
  });
});
