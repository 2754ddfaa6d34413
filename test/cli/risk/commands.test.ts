import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { LimitTable } from "../../../src/cli/risk/row-changes.ts";
import { requireCommand } from "../command.ts";
import { Installation } from "../installation.ts";
import { linesOnScreen, onScreen } from "../screen.ts";

const PROJECTION = "Account/Symbol";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

/** Exports the table to a file of the workplace, and returns its name. */
async function exported(format: "yaml" | "csv", projection = PROJECTION): Promise<string> {
  const { code, stdout, stderr } = await installation.run("risk", "export", projection, "-o", format);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  installation.workplace.write(`limits.${format}`, stdout);
  return `limits.${format}`;
}

/** Makes a plan that changes a limit of the export, and returns its name. */
async function planned(from: string, to: string): Promise<string> {
  const file = await exported("yaml");
  const text = readFileSync(installation.workplace.file(file), "utf8");
  expect(text).toContain(from);
  installation.workplace.write(file, text.replace(from, to));
  const { code, stdout } = await installation.run("risk", "plan", file, "--output", "json");
  expect(code).toBe(0);
  installation.workplace.write("plan.json", stdout);
  return "plan.json";
}

/** A proxy that takes the entity tags out of responses. */
async function withoutTags(target: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    const sent = request(new URL(url, target), { method, headers }, (reply) => {
      const { etag: _, ...others } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, others);
      reply.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function liveTable(): Promise<LimitTable> {
  return (await installation.json("risk", "table", PROJECTION)) as LimitTable;
}

describe("risk set: limits of one row, as they are typed", () => {
  it("changes the limits that it names, after the same preview as risk update, and shows the table then", async () => {
    const { code, stdout, stderr } = await installation.run(
      "risk",
      "set",
      "Account[PENSION]",
      "MaxOpenOrdersCount=10",
      "--yes",
    );
    expect([code, stderr]).toEqual([0, "limits of Account\n  Account=PENSION MaxOpenOrdersCount: 15 -> 10\n"]);
    expect(stdout).toMatch(/^PENSION +20000000 +10$/m);
    expect((await installation.run("risk", "set", "Account[PENSION]", "MaxOpenOrdersCount=15", "--yes")).code).toBe(0);
  });

  it("is risk update of one row: any value, several limits, and one that is lifted", async () => {
    const limits = ["MaxOrderSize=2.5", "MaxPositionLong=unlimited", "MaxPositionShort=null"];
    const { stdout } = await installation.run("risk", "set", "Account[*]/Symbol[EUR/USD]", ...limits, "--curl");
    const commands = [
      {
        type: "UPDATE",
        conditions: { Account: "*", Symbol: "EUR/USD" },
        limits: { MaxOrderSize: "2.5", MaxPositionLong: null, MaxPositionShort: null },
      },
    ];
    expect(stdout).toContain(`--data '${JSON.stringify({ projection: PROJECTION, commands })}'`);
  });

  it.each([
    [["PENSION", "MaxOrders=1"], /"PENSION" is not a projection path: /],
    [
      ["Account[PENSION]", "MaxOrders"],
      /"MaxOrders" is not a limit: write NAME=VALUE, such as MaxOrderSize=500; nothing was sent/,
    ],
    [["Account[PENSION]", "MaxOrders=many"], /limits\.MaxOrders: must be a decimal string .*; nothing was sent/],
  ])("refuses %j as wrong usage", async (args, message) => {
    const { code, stderr } = await installation.run("risk", "set", ...args, "--yes");
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  it("is what risk update leads to where its JSON is missing", async () => {
    const { code, stderr } = await installation.run("risk", "update", "Account");
    expect([code, stderr]).toEqual([
      2,
      "trading-admin: missing: --commands; trading-admin risk set changes limits of one row; nothing was sent\n",
    ]);
  });
});

describe("D-CLI 34: risk update --yes answers the first question alone", () => {
  const update = (limits: object): string[] => {
    const commands = [{ type: "UPDATE", conditions: { Account: "*", Symbol: "EUR/USD" }, limits }];
    return ["risk", "update", PROJECTION, "--commands", JSON.stringify(commands), "--yes"];
  };

  it.each([
    ["removes a limit", { MaxPositionLong: null }],
    ["loosens one tenfold", { MaxPositionLong: "20000000" }],
  ])("what %s is not sent: a plan that was reviewed is", async (_, limits) => {
    const before = await liveTable();
    const { code, stderr } = await installation.run(...update(limits));
    expect([code, await liveTable()]).toEqual([6, before]);
    expect(stderr).toMatch(/--yes does not confirm that a limit is removed or loosened tenfold: .*risk apply --yes/);
    const plan = await planned('MaxPositionLong: "4000"', 'MaxPositionLong: "40000"');
    expect((await installation.run("risk", "apply", plan, "--yes")).code).toBe(0);
    const back = await planned('MaxPositionLong: "40000"', 'MaxPositionLong: "4000"');
    expect((await installation.run("risk", "apply", back, "--yes")).code).toBe(0);
  });

  it("what tightens one tenfold is sent", async () => {
    const tight = await installation.run(...update({ MaxOrderSize: "50000" }));
    expect(tight).toMatchObject({ code: 0, stderr: expect.stringContaining("by a factor of 10 or more") });
    expect((await installation.run(...update({ MaxOrderSize: "400000" }))).code).toBe(0);
  });
});

describe("risk export, plan, apply: limits as reviewed changes", () => {
  it.each([
    ["yaml", PROJECTION],
    ["csv", PROJECTION],
    ["yaml", ""],
    ["csv", "Source"],
  ] as const)("go round: export as %s, plan, no changes (%j)", async (format, projection) => {
    const { code, stdout } = await installation.run("risk", "plan", await exported(format, projection));
    expect({ code, stdout }).toEqual({ code: 0, stdout: "no changes\n" });
  });

  it("are marked one by one and applied: the table shown afterwards is the live one", async () => {
    const file = await planned('MaxPositionLong: "4000"', 'MaxPositionLong: "5000"');
    const shown = await installation.run("risk", "plan", "limits.yaml");
    expect(shown.stdout).toMatch(/^looser +Account=PENSION Symbol=AAPL +MaxPositionLong +4000 +5000 +update +-$/m);
    expect(shown.stderr).toBe("1 row: 0 tighter, 1 looser, 0 new\n");
    const { code, stdout } = await installation.run("risk", "apply", file, "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^done +update the risk table Account\/Symbol/m);
    expect(stdout).toMatch(/^PENSION +AAPL +1000 +5000 +0$/m);
    expect(JSON.stringify(await liveTable())).toContain('"MaxPositionLong":"5000"');
    expect((await installation.run("risk", "plan", "limits.yaml")).stdout).toBe("no changes\n");
  });

  it("D-CLI 22: a plan says at 80 columns what becomes looser, however long the names are", async () => {
    const long = "X".repeat(300);
    installation.workplace.write(
      "long.csv",
      `projection,Account,Symbol,MaxOrderSize\r\nAccount/Symbol,${long},GOLD,${"9".repeat(20)}\r\n`,
    );
    const [head, row] = await linesOnScreen(installation, ["risk", "plan", "long.csv"]);
    expect(head).toMatch(/^EFFECT +ROW +LIMIT +FROM +TO/);
    expect(row).toMatch(/^looser +Account=X+… +MaxOrderSize +2000 +9{20}/);
    expect(Math.max(...[head, row].map((line = "") => line.length))).toBeLessThanOrEqual(80);
  });

  it("D-CLI 23: a key with white space at an end is quoted and asked about in plan and preview", async () => {
    const file = await exported("csv", PROJECTION);
    const text = readFileSync(installation.workplace.file(file), "utf8");
    installation.workplace.write(file, text.replace("Account/Symbol,PENSION,", "Account/Symbol,\u00a0PENSION ,"));
    const { stdout, stderr } = await installation.run("risk", "plan", file);
    expect(stdout).toMatch(/^tighter +Account="\u00a0PENSION " .* Account=\* Symbol=\*$/m);
    expect(stdout).toMatch(/^looser +Account=PENSION /m);
    expect(stderr).toMatch(
      /The new row Account="\u00a0PENSION " .* has white space at an end of a value\. Is that intended\?/,
    );
    installation.workplace.write("plan.json", (await installation.run("risk", "plan", file, "-o", "json")).stdout);
    expect((await installation.run("risk", "apply", "plan.json")).stderr).toMatch(
      /Account="\u00a0PENSION " .*: new row\n/,
    );
  });

  it("D-CLI 23: a plan says that it is more than a gateway takes, and --yes does not print all of it", async () => {
    const rows = Array.from({ length: 1_001 }, (_, at) => `Account,A${at},5\r\n`).join("");
    installation.workplace.write("many.csv", `projection,Account,MaxOrderNotional\r\n${rows}`);
    const plan = await installation.run("risk", "plan", "many.csv", "-o", "json");
    expect(plan.stderr).toMatch(/warning: 1,00\d commands: .* admin\.api\.max-risk-commands says, 1,000 unless set/);
    installation.workplace.write("plan.json", plan.stdout);
    const { code, stderr } = await installation.run("risk", "apply", "plan.json", "--yes");
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(/^\.\.\. and 9\d\d further lines$/m) });
    expect(stderr.split("\n").length).toBeLessThan(100);
  });

  it("D-CLI 23: a plan says so, too, where its limits or its bytes are more than a gateway takes", async () => {
    const names = ["MaxOrderSize", "MaxOrderNotional", "MaxPositionLong", "MaxPositionShort", "MaxOpenOrders"];
    const rows = Array.from({ length: 900 }, (_, at) => `Account,A${at}${",5".repeat(names.length)}\r\n`).join("");
    installation.workplace.write("wide.csv", `projection,Account,${names.join(",")}\r\n${rows}`);
    const { stderr } = await installation.run("risk", "plan", "wide.csv", "-o", "json");
    expect(stderr).toMatch(/warning: 4,5\d\d limits: .* a gateway takes 4,000 in all/);
    expect(stderr).toMatch(/warning: 1\d\d,\d{3} bytes: .* admin\.api\.max-body-size says, 131,072 unless set/);
    expect(stderr).not.toContain("max-risk-commands");
  });

  it("are refused when the table has moved since: exit code 6, nothing is sent", async () => {
    const file = await planned('MaxOrderSize: "1000"', 'MaxOrderSize: "900"');
    const commands = JSON.stringify([
      { type: "UPDATE", conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "1999" } },
    ]);
    expect((await installation.run("risk", "update", PROJECTION, "--commands", commands, "--yes")).code).toBe(0);
    const before = await liveTable();
    const { code, stdout, stderr } = await installation.run("risk", "apply", file, "--yes", "-o", "json");
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({
      operation: "updateRiskTable",
      outcome: "not-sent",
      requestId: null,
      message: expect.stringContaining("the table has moved since the plan was made"),
    });
    expect(stderr).toContain("the table has moved");
    expect(await liveTable()).toEqual(before);
  });

  it("D-HTTP 38: are not sent when the table moves while the question waits for its answer: exit code 6", async () => {
    const file = await planned('MaxOrderSize: "1000"', 'MaxOrderSize: "901"');
    const terminal = onScreen(installation, ["risk", "apply", file]);
    onTestFinished(() => terminal.close());
    await terminal.until(/Type yes to continue/);
    const commands = JSON.stringify([
      { type: "UPDATE", conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "1998" } },
    ]);
    expect((await installation.run("risk", "update", PROJECTION, "--commands", commands, "--yes")).code).toBe(0);
    const before = await liveTable();
    terminal.type("yes\r");
    const text = await terminal.until(/If-Match/);
    expect(text.replace(/\s+/g, " ")).toContain("not sent: The state is not the one that If-Match names");
    expect(await terminal.ended()).toBe(6);
    expect(await liveTable()).toEqual(before);
  });

  it("D-HTTP 38: nor where a proxy removes the tags by which the gateway compares: the command line compares once more", async () => {
    const file = await planned('MaxOrderSize: "1000"', 'MaxOrderSize: "902"');
    const url = await withoutTags(installation.serving.url);
    const terminal = onScreen(installation, ["risk", "apply", file, "--url", url]);
    onTestFinished(() => terminal.close());
    await terminal.until(/Type yes to continue/);
    const commands = JSON.stringify([
      { type: "UPDATE", conditions: { Account: "*", Symbol: "*" }, limits: { MaxOrderSize: "1997" } },
    ]);
    expect((await installation.run("risk", "update", PROJECTION, "--commands", commands, "--yes")).code).toBe(0);
    const before = await liveTable();
    terminal.type("yes\r");
    expect((await terminal.until(/make a new plan/)).replace(/\s+/g, " ")).toContain("the table has moved since");
    expect(await terminal.ended()).toBe(6);
    expect(await liveTable()).toEqual(before);
  });

  it("delete a row that the file lacks, and add one that only the file has; without --yes and a terminal nothing is sent", async () => {
    const file = await exported("csv");
    const lines = readFileSync(installation.workplace.file(file), "utf8").split("\r\n");
    const changed = lines.map((line) => line.replace("PENSION,AAPL", "GOLD,AAPL"));
    installation.workplace.write(file, changed.join("\r\n"));
    const { stdout } = await installation.run("risk", "plan", file, "-o", "json");
    expect(JSON.parse(stdout).changes.map(({ type }: { type: string }) => type)).toEqual(["INSERT", "DELETE"]);
    installation.workplace.write("plan.json", stdout);
    const before = await liveTable();
    const { code, stderr } = await installation.run("risk", "apply", "plan.json");
    expect([code, await liveTable()]).toEqual([6, before]);
    expect(stderr).toMatch(/row is deleted[\s\S]*there is no terminal to ask for confirmation on; pass --yes/);
  });

  it.each([
    ["a file that is not there", ["plan", "nowhere.yaml"], /nowhere\.yaml: cannot be read/],
    ["a file that is not a table", ["plan", "application.yaml"], /application\.yaml:1: has unknown keys: server\.port/],
    ["a table as a plan", ["apply", "application.yaml"], /is not a plan: it is not JSON; make one with/],
    ["another JSON as a plan", ["apply", "other.json"], /other\.json is not a plan of "risk plan --output json"/],
  ])("refuse %s as wrong usage, exit code 2", async (_, args, message) => {
    installation.workplace.write("other.json", '{"projection":"x"}');
    const { code, stdout, stderr } = await installation.run("risk", ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it("are refused by the engine for a table that it does not have, exit code 5", async () => {
    expect((await installation.run("risk", "export", "Destination")).code).toBe(5);
  });
});
