import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorBody, json, ScriptedServer } from "../client/scripted-server.ts";
import { requireCommand } from "./command.ts";
import { Installation } from "./installation.ts";

const FORGED = "then   halted: no, and everything was checked by the risk desk";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

/** What the command says on standard error about a gateway with such errors. */
async function saidOf(status: number, body: object, ...args: readonly string[]): Promise<string[]> {
  const { origin } = await ScriptedServer.start((response) => json(response, status, body));
  const environment = { ...installation.environment, TRADING_ADMIN_URL: origin };
  const { stderr } = await installation.workplace.run(args, "", environment);
  return stderr.trimEnd().split("\n");
}

describe("D-CLI 26: what others sent makes no line of its own on the terminal", () => {
  it("in the preview of a change: the reason of a halt", async () => {
    await installation.run("halt", "Account[GOLD]", "--reason", `x\n${FORGED}`);
    const { stderr } = await installation.run("resume", "Account[GOLD]", "--yes");
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toContainEqual(expect.stringContaining(`reason: x\\u000a${FORGED}`));
    expect(lines).not.toContain(FORGED);
  });

  it.each([
    ["a read", ["services", "list"]],
    ["a stop", ["halt", "--no-wait"]],
    ["a change", ["services", "enable", "VWAP", "--yes"]],
    ["an operation by its name", ["call", "listServices"]],
  ])("in an error of the gateway or the engine, in response to %s", async (_, args) => {
    const lines = await saidOf(400, errorBody(400, `refused\n${FORGED}\r\n\u2028${FORGED}`), ...args);
    expect(lines.join("\n")).toContain(`refused\\u000a${FORGED}\\u000d\\u000a\\u2028${FORGED}`);
    expect(lines).not.toContain(FORGED);
  });

  it("in what is not a response of a gateway", async () => {
    const { origin } = await ScriptedServer.start((response) =>
      response.writeHead(503).end(`DOWN\n${FORGED}\n${"x".repeat(100_000)}`),
    );
    const { code, stderr } = await installation.workplace.run(["health", "--url", origin]);
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([1, 1]);
    expect(stderr.length).toBeLessThan(1_000);
  });

  it("while an error that lists faults of a file has a line for each", async () => {
    installation.workplace.write(
      "limits.csv",
      "projection,Account,maxOrderSize\nAccount,GOLD,many\nAccount,A\tB,more\n",
    );
    const { stderr } = await installation.run("risk", "plan", "limits.csv");
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toEqual([
      expect.stringContaining("limits.csv:2: "),
      expect.stringContaining("limits.csv:3: "),
      "nothing was sent",
    ]);
  });
});
