import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { json, ScriptedServer } from "../client/scripted-server.ts";
import { ROOT } from "../package/build.ts";
import { type Ended, requireCommand, run } from "./command.ts";

const ACCESS = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };

beforeAll(requireCommand);

/** Runs a command of an installation that lacks the module of one file of the sources. */
async function runWithout(module: string, args: readonly string[]): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-incomplete-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["dist", "package.json"]) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const files = readdirSync(join(folder, "dist")).filter((file) => new RegExp(`^${module}-[A-Z0-9]+\\.js$`).test(file));
  expect(files).toHaveLength(1);
  rmSync(join(folder, "dist", ...files));
  const server = await ScriptedServer.start((response) =>
    json(response, 404, { status: 404, error: "Not Found", message: "no such service" }),
  );
  const command = join(folder, "dist/cli/main.js");
  return run(process.execPath, [command, ...args], folder, "", { ...ACCESS, TRADING_ADMIN_URL: server.origin });
}

describe("D-PKG 18: a command says which module is missing, and what to do", () => {
  const REPLACED = /this program was replaced while it ran, or is incomplete \(.*\.js'.*\); run node .* again/s;

  it("where it cannot begin without it", async () => {
    const { code, stderr } = await runWithout("read", ["services", "list"]);
    expect(stderr).toMatch(REPLACED);
    expect(code).toBe(1);
  });

  it("where a command was refused, whose outcome it keeps", async () => {
    const { code, stderr } = await runWithout("names", ["services", "disable", "TWAP"]);
    expect(stderr).toMatch(/disable service TWAP: .*no such service/);
    expect(stderr).toMatch(REPLACED);
    expect(code).toBe(5);
  });
});
