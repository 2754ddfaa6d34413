import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { requireCommand } from "../cli/command.ts";
import { Workplace } from "../cli/workplace.ts";
import { sendRaw } from "../support/raw-http.ts";
import { FOLDER, startPythonEngine } from "./python-engine-process.ts";
import type { ServingProcess } from "./serving-process.ts";

/** The engine without the operations that WITHOUT names. */
const PARTIAL = fileURLToPath(new URL("python-engine-partial.py", import.meta.url));
const WITHOUT = ["adjustPosition", "listServices"];
const LANDMARKS = join(FOLDER, "landmarks.yaml");
const TOKEN = "token-of-the-test";
const PASSWORD = "correct horse 7 battery";

let workplace: Workplace;
let engine: ServingProcess | undefined;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.write("token", `${TOKEN}\n`);
});

afterEach(async () => {
  await engine?.close();
  await workplace.close();
});

async function start(program: string, environment: Readonly<Record<string, string>> = {}): Promise<string> {
  engine = await startPythonEngine(["--token-env", "ENGINE_TOKEN"], { ENGINE_TOKEN: TOKEN, ...environment }, program);
  return engine.url;
}

/** The command of the README. */
async function judge(url: string, landmarks?: string) {
  const named = landmarks === undefined ? [] : ["--landmarks", landmarks];
  const { code, stdout } = await workplace.run(["conformance", url, "--token-file", "token", ...named, "-o", "json"]);
  return { code, ...JSON.parse(stdout) };
}

describe("the Python starter", () => {
  it("passes all cases of the conformance kit, run by the command of its README", async () => {
    const verdict = await judge(await start("engine.py"), LANDMARKS);
    expect(verdict).toMatchObject({ code: 0, failed: 0, notApplicable: 0 });
    expect(verdict.passed).toBeGreaterThan(60);
  }, 180_000);

  it("in front of an engine that exists, with four operations: no case fails, with landmarks or without", async () => {
    const url = await start("small.py");
    const verdict = await judge(url, join(FOLDER, "small-landmarks.yaml"));
    expect(verdict).toMatchObject({ code: 0, failed: 0, passed: 20 });
    expect((await judge(url)).passed).toBeLessThan(20);
  }, 180_000);

  it("does not start with an operation whose parameters have no types, and says which", async () => {
    const program = "from contract import Dispatcher\nDispatcher({'haltTrading': lambda projectionPath: None})";
    const options = { cwd: FOLDER, env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1" } };
    await expect(promisify(execFile)("python3", ["-c", program], options)).rejects.toThrow(
      'the function of haltTrading has the parameter "projectionPath" without a type: write its type as a class, such as "projectionPath: str"',
    );
  });

  it("without two operations: the kit counts them as not applicable, and no case fails", async () => {
    const verdict = await judge(await start(PARTIAL, { WITHOUT: WITHOUT.join() }), LANDMARKS);
    expect(verdict).toMatchObject({ code: 0, failed: 0 });
    expect(Object.keys(verdict.reasons)).toEqual(expect.arrayContaining(WITHOUT.map((name) => `no ${name}`)));
  }, 180_000);

  it("without an operation: its callers get 400 and know that nothing was changed", async () => {
    const url = await start(PARTIAL, { WITHOUT: WITHOUT.join() });
    workplace.writeUser("desk", PASSWORD, ["POSITION_ADJUSTMENT"]);
    const link = ["admin.engine.transport: websocket", `admin.engine.url: ${url}`, `admin.engine.token: ${TOKEN}`];
    workplace.write("application.yaml", ["server.port: 0", ...link].join("\n"));
    const gateway = await workplace.serve("--config", "application.yaml");
    const authorization = `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`;
    const status = { path: "/api/admin/v1/trading/status", authorization };
    await expect.poll(async () => (await sendRaw(gateway.url, status)).status).toBe(200);
    const body = JSON.stringify({ projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "1", relative: true });
    const headers = { "Content-Type": "application/json" };
    const adjust = { path: "/api/admin/v1/positions/adjust", authorization, method: "POST", headers, body };
    const reply = await sendRaw(gateway.url, adjust);
    expect(reply.status).toBe(400);
    expect(reply.headers["x-admin-outcome"]).toBe("not-applied");
    expect(JSON.parse(reply.body)).toMatchObject({ message: "The engine does not support adjustPosition" });
  }, 180_000);
});
