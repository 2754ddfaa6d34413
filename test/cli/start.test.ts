import { beforeAll, describe, expect, it } from "vitest";
import { accept, ScriptedServer } from "../client/scripted-server.ts";
import { COMMAND, requireCommand, run } from "./command.ts";
import { Workplace } from "./workplace.ts";

/** Writes the address of every module that is loaded to standard error. */
const HOOK = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  process._rawDebug(found.url);
  return found;
}`;
const REGISTER = 'import { register } from "node:module"; register("./hook.mjs", import.meta.url);';

beforeAll(requireCommand);

/** Packages and modules of Node that a command loads before it ends. */
async function loadedBy(args: readonly string[]): Promise<{ packages: string[]; modules: string[] }> {
  const server = await ScriptedServer.start(accept);
  const workplace = new Workplace();
  try {
    workplace.write("hook.mjs", HOOK);
    workplace.write("register.mjs", REGISTER);
    const environment = { TRADING_ADMIN_URL: server.origin, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "x" };
    const command = ["--import", "./register.mjs", COMMAND, ...args];
    const { code, stderr } = await run(process.execPath, command, workplace.path, "", environment);
    expect([args, code]).toEqual([args, 0]);
    const packages = stderr.match(/(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/g) ?? [];
    return { packages: [...new Set(packages)].toSorted(), modules: stderr.match(/^node:.*$/gm) ?? [] };
  } finally {
    await workplace.close();
  }
}

describe("a command loads only what it needs", () => {
  it("for halt: the parser of the command line and near names; no schemas, YAML, TLS or prompt", async () => {
    const { packages, modules } = await loadedBy(["halt", "--no-wait"]);
    expect(packages).toEqual(["commander", "fastest-levenshtein"]);
    expect(modules).toContain("node:http");
    for (const module of ["node:https", "node:tls", "node:readline"]) expect(modules).not.toContain(module);
  });

  it("for --help: the parser of the command line", async () => {
    const { packages, modules } = await loadedBy(["--help"]);
    expect(packages).toEqual(["commander"]);
    expect(modules).not.toContain("node:http");
  });
});
