import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, ROOT, requireBuild } from "../package/build.ts";

const run = promisify(execFile);

const MEGABYTE = 1024 * 1024;
/** What a production install may cost. */
const MAX_PACKAGES = 46;
const MAX_BYTES = 39 * MEGABYTE;

/** Beside that of this package, with which package/types compiles the same. */
const COMPILERS = ["5.4", "latest"] as const;
const INSTALL = ["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--loglevel=error"];

let folder: string;
let tarball: string;

/** Runs a program in a folder; its output, whatever its exit code. */
async function output(
  cwd: string,
  program: string,
  ...args: readonly string[]
): Promise<{ code: number; text: string }> {
  const options = {
    cwd,
    timeout: 300_000,
    maxBuffer: 32 * MEGABYTE,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  };
  try {
    const { stdout, stderr } = await run(program, args, options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? -1, text: stdout + stderr };
  }
}

/** A project with nothing but the packed package, and these beside it. */
async function project(name: string, ...packages: readonly string[]): Promise<string> {
  const path = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(path, "package.json"), JSON.stringify({ private: true, type: "module" }));
  const installed = await output(path, "npm", ...INSTALL, tarball, ...packages);
  if (installed.code !== 0) throw new Error(`npm install failed:\n${installed.text}`);
  return path;
}

function copyExamples(path: string, ...names: readonly string[]): void {
  for (const name of names) copyFileSync(join(ROOT, "examples", name), join(path, name));
}

const ADDRESS = /listening on (\S+)/;

/** Starts a program that serves, hands its address to `use`, and ends it; its exit code. */
async function served(cwd: string, args: readonly string[], use = async (_url: string) => {}): Promise<unknown> {
  const program = spawn("node", args, { cwd, env: { PATH: process.env.PATH, PORT: "0" } });
  const ended = once(program, "close");
  let text = "";
  for (const stream of [program.stdout, program.stderr]) stream.on("data", (chunk) => (text += chunk));
  try {
    await expect.poll(() => text).toMatch(ADDRESS);
    await use(ADDRESS.exec(text)?.[1] ?? "");
  } finally {
    program.kill("SIGTERM");
  }
  const [code] = await ended;
  return code;
}

beforeAll(async () => {
  requireBuild();
  folder = mkdtempSync(join(tmpdir(), "trading-admin-install-"));
  const packed = await output(ROOT, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  tarball = join(folder, packed.text.trim().split("\n").at(-1) ?? "");
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a fresh project with the packed package", () => {
  it("a production install has at most 46 packages and 39 MB, and each entry can be imported and required", async () => {
    const path = await project("production", "--omit=dev", "--omit=peer");
    const listed = await output(path, "npm", "ls", "--all", "--parseable");
    expect(listed.text.trim().split("\n").length - 1).toBeLessThanOrEqual(MAX_PACKAGES);
    const { text } = await output(path, "du", "-sb", "node_modules");
    expect(Number.parseInt(text, 10)).toBeLessThanOrEqual(MAX_BYTES);
    const optional = ["trading-admin-api/transports/nats"];
    for (const specifier of ENTRIES.map((entry) => entry.specifier).filter((name) => !optional.includes(name))) {
      const asEsm = await output(path, "node", "--input-type=module", "-e", `await import("${specifier}")`);
      const asCommonJs = await output(
        path,
        "node",
        "--no-warnings",
        "--input-type=commonjs",
        "-e",
        `require("${specifier}")`,
      );
      expect([asEsm, asCommonJs], specifier).toEqual([
        { code: 0, text: "" },
        { code: 0, text: "" },
      ]);
    }
  }, 600_000);

  it("the examples that end by themselves run, as ESM and through require", async () => {
    const path = await project("examples");
    copyExamples(path, "policy.mjs", "harness.mjs", "harness.node.test.mjs");
    expect((await output(path, "node", "policy.mjs")).code).toBe(0);
    expect(
      (await output(path, "node", "--no-warnings", "--input-type=commonjs", "-e", `import("./policy.mjs")`)).code,
    ).toBe(0);
    expect((await output(path, "node", "--test", "harness.node.test.mjs")).text).toMatch(/pass 3\b/);
  }, 600_000);

  it("the examples that serve start and end, as ESM and from a CommonJS program", async () => {
    const path = await project("servers", "express@5", "express-session@1", "compression@1", "fastify@5");
    const servers = ["express.mjs", "fastify.mjs", "node-http.mjs", "own-engine.mjs"];
    copyExamples(path, ...servers, "gateway-and-engine.mjs");
    for (const name of servers) {
      expect([name, await served(path, [name])]).toEqual([name, 0]);
      const fromCommonJs = ["--input-type=commonjs", "-e", `import("./${name}")`];
      expect([name, await served(path, fromCommonJs)]).toEqual([name, 0]);
    }
    const accessFiles = join("node_modules", "trading-admin-api", "examples", "demo", "access");
    expect(await served(path, ["gateway-and-engine.mjs", accessFiles])).toBe(0);
  }, 600_000);

  it("the scripts run against the demo of the installed package", async () => {
    const path = await project("scripts");
    copyExamples(path, "risk-monitor.mjs", "start-of-day.mjs");
    const command = join("node_modules", "trading-admin-api", "dist", "cli", "main.js");
    const code = await served(path, [command, "serve", "--server.port=0"], async (url) => {
      const password = readFileSync(join(path, ".demo", "operator.password"), "utf8").trim();
      const script = (name: string) =>
        output(
          path,
          "env",
          `ADMIN_URL=${url}`,
          "ADMIN_USER=operator",
          `ADMIN_PASSWORD=${password}`,
          "ROUNDS=1",
          "node",
          name,
        );
      expect(await script("risk-monitor.mjs")).toEqual({ code: 0, text: "" });
      expect(await script("start-of-day.mjs")).toEqual({ code: 1, text: expect.stringContaining("not ready: XETRA1") });
    });
    expect(code).toBe(0);
  }, 600_000);

  it("the test harness runs with vitest and with jest, a rig in a CommonJS test of jest too", async () => {
    const path = await project("runners", "vitest@4", "jest@30");
    copyExamples(path, "harness.mjs", "harness.vitest.test.mjs", "harness.jest.test.mjs");
    const bin = join("node_modules", ".bin");
    const vitest = await output(path, join(bin, "vitest"), "run", "harness.vitest.test.mjs");
    expect(stripVTControlCharacters(vitest.text)).toMatch(/Tests +3 passed/);
    writeFileSync(
      join(path, "commonjs.test.cjs"),
      'test("rig", async () => (await (await import("trading-admin-api/testing")).startTestRig()).close());\n',
    );
    const jest = join("node_modules", "jest", "bin", "jest.js");
    const tests = ["harness.jest.test.mjs", "commonjs.test.cjs"];
    const { code, text } = await output(path, "node", "--experimental-vm-modules", jest, ...tests);
    expect(stripVTControlCharacters(text)).toMatch(/Tests: +4 passed/);
    expect(text).not.toContain("did not exit");
    expect(code).toBe(0);
  }, 600_000);

  it.each(COMPILERS)(
    "compiles the examples in TypeScript and a use of every entry with TypeScript %s, strict, declarations checked",
    async (version) => {
      const beside = [
        "@types/node@20",
        "express@5",
        "@types/express@5",
        "@nats-io/transport-node@3",
        "ldapts@8",
        "pino@10",
        "winston@3",
      ];
      const path = await project(`typescript-${version}`, `typescript@${version}`, ...beside);
      const sources = readdirSync(join(ROOT, "examples")).filter((name) => name.endsWith(".ts"));
      copyExamples(path, ...sources);
      copyFileSync(join(ROOT, "test", "package", "usage.ts"), join(path, "usage.ts"));
      writeFileSync(
        join(path, "loggers.ts"),
        'import winston from "winston";\nimport type { Logger } from "trading-admin-api";\nexport const log: Logger = winston.createLogger();\n',
      );
      const compilerOptions = {
        target: "ES2022",
        lib: ["ES2023"],
        types: ["node"],
        module: "nodenext",
        strict: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
      };
      writeFileSync(
        join(path, "tsconfig.json"),
        JSON.stringify({ compilerOptions, files: [...sources, "usage.ts", "loggers.ts"] }),
      );
      const compiler = join("node_modules", "typescript", "bin", "tsc");
      expect(await output(path, "node", compiler, "-p", ".")).toEqual({ code: 0, text: "" });
    },
    600_000,
  );
});
