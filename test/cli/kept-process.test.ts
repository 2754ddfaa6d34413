import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { json, ScriptedServer } from "../client/scripted-server.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { exampleReply } from "../support/example-reply.ts";
import { COMMAND, type Ended, requireCommand, run } from "./command.ts";
import { runKept } from "./kept-process.ts";
import { Workplace } from "./workplace.ts";

const CREDENTIALS = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };
const LIMIT_MS = 60_000;

let workplace: Workplace;
let server: ScriptedServer;

beforeAll(requireCommand);

beforeEach(async () => {
  workplace = new Workplace();
  onTestFinished(() => workplace.close());
  server = await ScriptedServer.start((response, { path }) => {
    if (path.endsWith("/services/NONE"))
      json(response, 404, { status: 404, error: "Not Found", message: "no such service" });
    else if (!path.endsWith("/services/SLOW")) json(response, 200, exampleReply("getTradingStatus"));
  });
});

function inKept(args: readonly string[], input: string, environment: Record<string, string>): Promise<Ended> {
  const line = { command: COMMAND, args, cwd: workplace.path, input };
  return runKept({ ...line, environment: { ...CLEAN_ENVIRONMENT, HOME: workplace.path, ...environment } }, LIMIT_MS);
}

describe("D-TEST 13: a command line that runs after others in one process has the output and the exit code of a separate process", () => {
  it.each<[string, readonly string[], string, Record<string, string>]>([
    ["help", ["halt", "--help"], "", {}],
    ["a read, in JSON", ["trading", "status", "-o", "json"], "", CREDENTIALS],
    ["a stop", ["halt", "--no-wait"], "", CREDENTIALS],
    ["what is not there", ["services", "show", "NONE"], "", CREDENTIALS],
    ["a mistake in the words", ["services", "lst"], "", CREDENTIALS],
    ["no credentials", ["trading", "status"], "", {}],
    ["an input that is read from standard input", ["call", "getTradingStatus", "-"], "{}", CREDENTIALS],
    [
      "a file of the working directory that is not there",
      ["trading", "status", "--password-file", "no"],
      "",
      { TRADING_ADMIN_USER: "desk" },
    ],
  ])("%s", async (_, args, input, environment) => {
    const variables = { TRADING_ADMIN_URL: server.origin, ...environment };
    const alone = await run(process.execPath, [COMMAND, ...args], workplace.path, input, variables);
    expect(alone.stdout + alone.stderr).not.toBe("");
    // Twice: the second run comes after one of its own kind.
    expect(timeless(await inKept(args, input, variables))).toEqual(timeless(alone));
    expect(timeless(await inKept(args, input, variables))).toEqual(timeless(alone));
  });

  it("nothing of a command line is left for the next: variables, folder, exit code, input", async () => {
    const failed = await inKept(["call", "getTradingStatus", "-"], "{", {
      ...CREDENTIALS,
      TRADING_ADMIN_URL: server.origin,
    });
    expect(failed.code).toBe(1);
    expect(await inKept(["--version"], "", {})).toMatchObject({ code: 0, stderr: "" });
    expect(await inKept(["trading", "status"], "", {})).toMatchObject({ code: 2, stdout: "" });
  });

  it("one that does not end is ended, and the next has another process", async () => {
    const stuck = ["services", "show", "SLOW"];
    const variables = { ...CLEAN_ENVIRONMENT, ...CREDENTIALS, TRADING_ADMIN_URL: server.origin };
    const line = { command: COMMAND, args: stuck, cwd: workplace.path, input: "", environment: variables };
    await expect(runKept(line, 500)).rejects.toThrow(/services show SLOW does not end/);
    expect(await inKept(["--version"], "", {})).toMatchObject({ code: 0 });
  });
});

/** Without times of the day, durations and ids of requests. */
function timeless({ stdout, ...ended }: Ended): Ended {
  const without = (text: string): string =>
    text.replace(/\d\d:\d\d:\d\d(\.\d+)?|\d+(\.\d+)? m?s\b|(?<=request id )[\w-]+/g, "…");
  return { ...ended, stdout: without(stdout), stderr: without(ended.stderr) };
}
