import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { basic } from "../../src/client/credentials.ts";
import { sampleInstallation } from "../../src/files/package-files.ts";
import { allow, ruleDocument, userDocument } from "../auth/access-files.ts";
import type { RealTerminal } from "../support/terminal.ts";
import { type Ended, requireCommand } from "./command.ts";
import { onScreen } from "./screen.ts";
import { Workplace } from "./workplace.ts";

const NAMES = ["alice", "bob"];
const ADJUST = ["positions", "adjust", "Account[GOLD]/Symbol[AAPL]", "--size", "-5", "--relative"];

let workplace: Workplace;
let url: string;

beforeAll(async () => {
  requireCommand();
  workplace = new Workplace();
  workplace.write("uac-file-security.xml", userDocument(...NAMES.map((name) => [name, `pw-${name}`] as const)));
  workplace.write("uac-access-rules.xml", ruleDocument(...NAMES.map((name) => allow(name, "*"))));
  const installation = readFileSync(sampleInstallation(), "utf8").replace(/^activity: on/m, "activity: off");
  workplace.write("installation.yaml", installation);
  workplace.write(
    "application.yaml",
    [
      "server.port: 0",
      "admin.engine.installation: installation.yaml",
      "admin.policy.two-person.operations: [resumeTrading, adjustPosition, enableService, updateRiskTable]",
    ].join("\n"),
  );
  ({ url } = await workplace.serve("--config", "application.yaml"));
});

afterAll(() => workplace.close());

function environmentOf(user: string): Record<string, string> {
  return { TRADING_ADMIN_URL: url, TRADING_ADMIN_USER: user, TRADING_ADMIN_PASSWORD: `pw-${user}` };
}

function run(user: string, args: readonly string[]): Promise<Ended> {
  return workplace.run([...args, "--yes"], "", environmentOf(user));
}

/** What a user is asked in a terminal, who then says no. */
async function questionTo(user: string, args: readonly string[]): Promise<string> {
  const terminal = onScreen({ workplace, environment: environmentOf(user) }, args, { columns: 250 });
  try {
    const asked = await terminal.until(/Type yes to continue:$/m);
    terminal.type("no\r");
    await terminal.ended();
    return asked;
  } finally {
    terminal.close();
  }
}

it("D-UAC 23: the first user is told the line that the second one types, which sends it, and whose result says whose request it was", async () => {
  await run("alice", ["halt", "Account[GOLD]"]);
  const first = await run("alice", ["resume", "Account[GOLD]", "--reason", "venue is back"]);
  expect(first).toMatchObject({ code: 4, stdout: "" });
  expect(first.stderr).toMatch(
    /: resume trading at Account\[GOLD\]: waits for a second person until \d\d:\d\d:\d\d UTC, nothing was sent yet \(status 403/,
  );
  expect(first.stderr).toMatch(/^the second person types: trading-admin resume 'Account\[GOLD\]'$/m);
  const second = await run("bob", ["resume", "Account[GOLD]"]);
  expect(second.code, second.stderr).toBe(0);
  expect(second.stdout).toMatch(/^done .*\napproves +alice's request of \d\d:\d\d:\d\d UTC \(venue is back\)\n/);
  expect(second.stderr).not.toContain("second person");
});

it("D-SHARE 2: a second person who comes too late reads what voided the first request, once", async () => {
  const resume = ["resume", "Account[SILVER]"];
  await run("alice", resume);
  await run("alice", ["halt", "Account[SILVER]"]);
  const late = await run("bob", resume);
  expect(late.stderr).toMatch(
    /nothing was sent yet: the request of [0-9:]{8} UTC by "alice" is void, as "alice" sent haltTrading at [0-9:]{8} UTC; yours is now the first \(status 403/,
  );
  expect((await run("bob", resume)).stderr).toContain("nothing was sent yet (status 403");
  expect((await run("alice", resume)).code).toBe(0);
});

it("D-UAC 23: the question says whose request it confirms, of one change and of several; of another change it says nothing", async () => {
  const request = (user: string, reason = ""): RegExp =>
    new RegExp(
      `${user} request of \\d\\d:\\d\\d:\\d\\d UTC${reason} waits for a second person until \\d\\d:\\d\\d:\\d\\d UTC`,
    );
  await run("alice", ["halt", "Account[GOLD]"]);
  await run("alice", ["resume", "Account[GOLD]", "--reason", "venue is back"]);
  expect(await questionTo("bob", ["resume", "Account[GOLD]"])).toMatch(
    new RegExp(`^second confirmation: ${request("alice's", " \\(venue is back\\)").source}$`, "m"),
  );
  await run("alice", ADJUST);
  expect(await questionTo("alice", ADJUST)).toMatch(
    new RegExp(`^${request("your").source}; sending it again only asks once more$`, "m"),
  );
  expect(await questionTo("bob", ADJUST.with(-2, "-7"))).not.toContain("request");
  expect(await questionTo("bob", [...ADJUST, "--average-cost", "10"])).not.toContain("request");
  await run("alice", ["services", "disable", "SIM", "TWAP"]);
  await run("alice", ["services", "enable", "TWAP"]);
  expect(await questionTo("bob", ["services", "enable", "SIM", "TWAP"])).toMatch(
    new RegExp(`^enable service TWAP: second confirmation: ${request("alice's").source}$`, "m"),
  );
});

/** A drill of alice's in a terminal, until it waits for a second person. */
async function waitingDrill(): Promise<RealTerminal> {
  const args = ["drill", "Account[TEST]", "--yes"];
  const terminal = onScreen({ workplace, environment: environmentOf("alice") }, args, { columns: 250 });
  onTestFinished(() => terminal.close());
  const shown = await terminal.until(
    /^the drill waits for that until \d\d:\d\d:\d\d UTC; Ctrl-C ends it, and trading stays halted$/m,
  );
  expect(shown).toMatch(/^the second person types: trading-admin resume 'Account\[TEST\]'$/m);
  return terminal;
}

it("D-CLI 10: Ctrl-C ends a drill that waits for a second person: not finished, still halted, and who types what, with exit code 8", async () => {
  const terminal = await waitingDrill();
  terminal.type("\x03");
  await terminal.until(/SIGINT: the drill ends, and trading stays halted$/m);
  const page = await terminal.until(
    /STILL HALTED[\s\S]*^the second person types: trading-admin resume 'Account\[TEST\]'$/m,
  );
  expect(page).toContain("| Result | **not finished**, **trading is still halted** |");
  expect(page).toMatch(/^\| resumeTrading \| waits \|/m);
  expect(page).toMatch(
    /TRADING IS STILL HALTED at Account\[TEST\]: resume trading at Account\[TEST\]: waits for a second person until \d\d:\d\d:\d\d UTC, nothing was sent yet/,
  );
  expect(await terminal.ended()).toBe(8);
  expect((await run("bob", ["resume", "Account[TEST]"])).code).toBe(0);
});

it("D-UAC 23: programs get the request with its fields, in CSV too, and nothing for a change that approves none", async () => {
  const first = await run("alice", [...ADJUST, "-o", "json"]);
  expect(first.stderr).toContain(
    "the second person types: trading-admin positions adjust 'Account[GOLD]/Symbol[AAPL]' --size -5 --relative",
  );
  const { requestId } = JSON.parse(first.stdout);
  expect(JSON.parse(first.stdout)).not.toHaveProperty("approves");
  expect(JSON.parse(first.stdout).awaitedUntil).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  const second = await run("bob", [...ADJUST, "-o", "json"]);
  const requestedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(JSON.parse(second.stdout)).toMatchObject({
    outcome: "done",
    approves: { requestedBy: "alice", requestedAt, requestId },
  });
  const again = ADJUST.with(-2, "-6");
  await run("alice", again);
  const csv = await run("bob", [...again, "-o", "csv"]);
  expect(csv.stdout).toContain('""requestedBy"":""alice""');
});

it("D-UAC 23: several changes in one line wait, with one line for the second person, and a column that says whose request each was", async () => {
  await run("alice", ["services", "disable", "SIM", "TWAP"]);
  const both = ["services", "enable", "SIM", "TWAP"];
  const first = await run("alice", both);
  expect(first.code).toBe(4);
  expect(first.stdout).toMatch(/^SIM +waits .*\nTWAP +waits /m);
  expect(first.stderr).toMatch(/^trading-admin: 2 waiting: 2 requests\nthe second person types: (.*)\n$/m);
  expect(first.stderr).toMatch(/^the second person types: trading-admin services enable SIM TWAP\n(?!the second)/m);
  const second = await run("bob", both);
  expect(second.code, second.stderr).toBe(0);
  expect(second.stdout).toMatch(/^SERVICE|^NAME/);
  expect(second.stdout.match(/alice's request of \d\d:\d\d:\d\d UTC/g)).toHaveLength(2);
});

it("D-UAC 23: the line names a node whose name has characters that cannot be seen, and the question knows its request", async () => {
  const path = "Account[it's\nx]";
  const first = await run("alice", ["resume", path]);
  expect(first.stderr).toMatch(/^the second person types: trading-admin resume \$'Account\[it\\'s\\012x\]'$/m);
  expect(await questionTo("bob", ["resume", path])).toMatch(/^second confirmation: alice's request /m);
  expect((await run("bob", ["resume", path])).stdout).toMatch(/^approves +alice's request/m);
});

it("D-UAC 23: the question says whose request it confirms, however many commands others send meanwhile", async () => {
  await run("alice", ["resume", "Account[BUSY]", "--reason", "venue is back"]);
  const bob = createClient({ baseUrl: url, credentials: basic("bob", "pw-bob") });
  for (let at = 0; at < 30; at += 1) await bob.haltTrading({ projectionPath: `Account[N${at}]` });
  expect(await questionTo("bob", ["resume", "Account[BUSY]"])).toMatch(/^second confirmation: alice's request /m);
});

it("D-UAC 23: a request that waited in the memory of a gateway ends with it, for the question and for audit show --waiting", async () => {
  const serve = () => workplace.serve("--config", "application.yaml", "--admin.audit.file=restarted.jsonl");
  const waiting = async (): Promise<unknown[]> => {
    const shown = await workplace.run(["audit", "show", "restarted.jsonl", "--waiting", "-o", "json"]);
    return JSON.parse(shown.stdout);
  };
  const before = await serve();
  const shared = url;
  ({ url } = before);
  onTestFinished(() => {
    url = shared;
  });
  await run("alice", ["resume", "Account[GOLD]", "--reason", "venue is back"]);
  expect(await waiting()).toHaveLength(1);
  await before.kill();
  ({ url } = await serve());
  await expect.poll(waiting, { timeout: 10_000 }).toEqual([]);
  expect(await questionTo("bob", ["resume", "Account[GOLD]"])).not.toMatch(/request/);
  expect((await run("bob", ["resume", "Account[GOLD]"])).stderr).toContain("waits for a second person");
});

it("D-UAC 23: where the requests cannot be read, the question says that one may wait", async () => {
  const { url: withoutConsole } = await workplace.serve(
    "--config",
    "application.yaml",
    "--gateway.console.enabled=false",
  );
  const shared = url;
  url = withoutConsole;
  onTestFinished(() => {
    url = shared;
  });
  await run("alice", ["resume", "Account[GOLD]"]);
  expect(await questionTo("bob", ["resume", "Account[GOLD]"])).toMatch(
    /^requests that wait for a second person could not be read: if another user has requested this, it is sent immediately$/m,
  );
});

it("D-UAC 23: no line is printed that nobody types; a system-wide resume has its own, however it was given", async () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    type: "UPDATE",
    conditions: { Account: `ACCOUNT-${index}` },
    limits: { MaxOpenOrdersCount: "10", MaxOrderNotional: "50000000" },
  }));
  workplace.write("update.json", JSON.stringify({ projection: "Account", commands: rows }));
  workplace.write("root.json", JSON.stringify({ projectionPath: "" }));
  const update = await run("alice", ["risk", "update", "--input", "update.json"]);
  expect([update.code, update.stderr]).toEqual([4, expect.stringContaining("waits for a second person")]);
  expect(update.stderr).not.toContain("the second person types");
  const resume = await run("alice", ["resume", "--input", "root.json"]);
  expect(resume.stderr).toMatch(/^the second person types: trading-admin resume$/m);
  expect((await run("bob", ["resume"])).stdout).toMatch(/^approves +alice's request/m);
});
