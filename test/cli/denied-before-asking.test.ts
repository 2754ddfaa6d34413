import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { errorBody, json, type Script, ScriptedServer } from "../client/scripted-server.ts";
import { requireCommand } from "./command.ts";
import { Installation } from "./installation.ts";
import { onScreen } from "./screen.ts";
import { Workplace } from "./workplace.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open(["CONTROL_FIX_SESSION"]);
});

afterAll(() => installation.close());

type User = Pick<Installation, "workplace" | "environment">;

/** What a command shows in a terminal in which nobody types anything, and its exit code. */
async function untyped(user: User, args: readonly string[]): Promise<{ code: number; text: string }> {
  const terminal = onScreen(user, args, { columns: 200 });
  onTestFinished(() => terminal.close());
  return { code: await terminal.ended(), text: terminal.text() };
}

/** What a command asks in a terminal. */
async function asked(user: User, args: readonly string[]): Promise<string> {
  const terminal = onScreen(user, args, { columns: 200 });
  onTestFinished(() => terminal.close());
  return terminal.until(/Type yes to continue:/);
}

const COMMANDS = JSON.stringify([
  { type: "UPDATE", conditions: { Account: "PENSION" }, limits: { MaxOpenOrdersCount: "10" } },
]);

describe("D-CLI 33: who lacks the permission is told before the question, in the words and with the exit code of the 403", () => {
  it.each([
    ["resume"],
    ["resume Account[GOLD] -o json"],
    ["services enable TWAP"],
    ["services enable TWAP VWAP"],
    ["positions adjust Account[HEDGE1]/Symbol[AAPL] --size 5"],
    [`risk update Account --commands ${COMMANDS}`],
  ])("%s", async (line) => {
    const args = line.split(" ");
    const { stderr } = await installation.run(...args, "--yes");
    const refused = stderr
      .split("\n")
      .find((said) => said.includes("denied"))
      ?.replace(/ \(status 403, .*$/, "");
    expect(refused).toMatch(
      /: denied, nothing was sent to the engine: User "desk" lacks the permission [A-Z_]+; ask whoever keeps the access rules of this installation for it$/,
    );
    const { code, text } = await untyped(installation, args);
    expect([code, text.split("\n")]).toEqual([4, expect.arrayContaining([refused])]);
    expect(text).not.toContain("Type ");
  });

  it("a drill", async () => {
    const { code, text } = await untyped(installation, ["drill", "Account[GOLD]"]);
    expect([code, text]).toEqual([
      4,
      expect.stringMatching(/halt trading at .*: denied, .* HALT_RESUME_TRADING; ask .*$/m),
    ]);
    expect(text).not.toContain("Type ");
  });

  it("risk apply", async () => {
    const { stdout: limits } = await installation.run("risk", "export", "Account", "-o", "csv");
    installation.workplace.write("limits.csv", limits.replace(/.*\r\n$/, ""));
    const plan = await installation.run("risk", "plan", "limits.csv", "-o", "json");
    installation.workplace.write("plan.json", plan.stdout);
    const { code, text } = await untyped(installation, ["risk", "apply", "plan.json"]);
    expect([code, text]).toEqual([4, expect.stringMatching(/: denied, .* CHANGE_RISK_LIMITS; ask .*$/m)]);
  });

  it("who has it is asked", async () => {
    await installation.run("fix", "disable", "OE1", "FIXCLIENT1");
    expect(await asked(installation, ["fix", "enable", "OE1", "FIXCLIENT1"])).not.toContain("denied");
  });
});

describe("D-CLI 33: the gateway decides where it does not say who the caller is", () => {
  const HALTED = { projectionPath: "", halted: true, reason: "all" };

  async function userOf(script: Script): Promise<User & { readonly server: ScriptedServer }> {
    const server = await ScriptedServer.start(script);
    const workplace = new Workplace();
    onTestFinished(() => workplace.close());
    const environment = {
      TRADING_ADMIN_URL: server.origin,
      TRADING_ADMIN_USER: "desk",
      TRADING_ADMIN_PASSWORD: "s3cret",
    };
    return { workplace, environment, server };
  }

  it.each([404, 403, 500])("with %i for GET /whoami it asks", async (status) => {
    const user = await userOf((response, { path }) =>
      path.includes("/trading/status")
        ? json(response, 200, HALTED)
        : json(response, status, errorBody(status, "not here")),
    );
    expect(await asked(user, ["resume"])).not.toContain("not here");
  });

  it("refused credentials are sent once: each refused login counts", async () => {
    const user = await userOf((response) => json(response, 401, errorBody(401, "Authentication required")));
    const { code, text } = await untyped(user, ["resume"]);
    expect([code, text]).toEqual([
      4,
      expect.stringContaining("denied, nothing was sent to the engine: Authentication"),
    ]);
    expect(user.server.requests).toHaveLength(1);
  });

  it.each([
    ["halt", []],
    ["resume", ["--yes"]],
  ])("%s, which does not ask, does not read it", async (command, more) => {
    const user = await userOf((response) => json(response, 404, errorBody(404, "not here")));
    await untyped(user, [command, ...more]);
    const paths = user.server.requests.map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => path.endsWith("/whoami"))).toEqual([]);
  });
});
