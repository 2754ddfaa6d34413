import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyAuditFiles } from "../../src/audit/index.ts";
import { COMMAND, requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { outputOf } from "../support/output-of.ts";
import { sendRaw } from "../support/raw-http.ts";
import { AUTHORIZATION, CREDENTIALS, writeInstallation } from "./installation.ts";

/** A file may grow to that size, then writes are cut short and fail: what a full disk does, for one process only. */
const LIMIT_KB = 16;

let workplace: Workplace;
let child: ChildProcess | undefined;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  writeInstallation(workplace, "");
});

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "close");
  }
  await workplace.close();
});

interface Gateway {
  readonly pid: number;
  /** What it has written to standard output. */
  readonly log: () => string;
  readonly url: () => string;
}

async function serveWithLimit(): Promise<Gateway> {
  const script = `trap "" XFSZ; ulimit -S -f ${LIMIT_KB}; exec "$@"`;
  const command = [process.execPath, COMMAND, "serve", "--config", "application.yaml"];
  const serving = spawn("bash", ["-c", script, "bash", ...command], {
    cwd: workplace.path,
    env: CLEAN_ENVIRONMENT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child = serving;
  let log = "";
  serving.stdout.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const url = (): string => /^listening on (\S+)$/m.exec(log)?.[1] ?? "";
  await expect.poll(url).not.toBe("");
  return { pid: serving.pid ?? 0, log: () => log, url };
}

async function post(gateway: Gateway, operation: "halt" | "resume"): Promise<number> {
  const path = `/api/admin/v1/trading/${operation}`;
  return (await sendRaw(gateway.url(), { method: "POST", path, authorization: AUTHORIZATION })).status;
}

describe("the rule by lane (D-LOG 3), from the request to the full disk", () => {
  it("refuses a change and sends a stop, with an error in the log; both are recorded again once there is room", async () => {
    const gateway = await serveWithLimit();
    let recorded = 0;
    while ((await post(gateway, "resume")) === 200) recorded += 1;
    expect(recorded).toBeGreaterThan(5);
    for (let again = 0; again < 3; again += 1) {
      expect(await post(gateway, "resume")).toBe(500);
      expect(await post(gateway, "halt")).toBe(200);
    }
    await expect.poll(gateway.log).toMatch(/AUDIT RECORD LOST.*\n(.*\n)*.*AUDIT RECORD LOST/);
    expect(gateway.log()).toContain("EFBIG");
    outputOf("prlimit", [`--pid=${gateway.pid}`, "--fsize=unlimited"]);
    expect(await post(gateway, "resume")).toBe(200);
    expect(await post(gateway, "halt")).toBe(200);
    const found = await verifyAuditFiles([workplace.file("audit.jsonl")]);
    expect(found).toMatchObject({ problemCount: 0, notes: [] });
    expect(found.records).toBeGreaterThanOrEqual(2 * recorded + 4);
  });

  it("D-ENG 16: on the command line a change that cannot be recorded is not sent, and a stop is done", async () => {
    const gateway = await serveWithLimit();
    while ((await post(gateway, "resume")) === 200);
    const environment = { ...CREDENTIALS, TRADING_ADMIN_URL: gateway.url() };
    const run = (...args: readonly string[]) => workplace.run(args, "", environment);
    const resumed = await run("resume", "--yes");
    expect(resumed).toMatchObject({ code: 6, stdout: "" });
    expect(resumed.stderr).toMatch(
      /resume trading system-wide: not sent: The change cannot be recorded in the audit log; nothing was sent \(status 500, request id /,
    );
    expect(await run("call", "resumeTrading")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was not applied"),
    });
    expect((await run("halt", "--reason", "disk")).code).toBe(0);
  });
});
