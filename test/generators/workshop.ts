import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ROOT, TOOLS } from "../package/build.ts";
import type { Account, Ended, GeneratedClient, Generator } from "./generator.ts";

const CALLERS = fileURLToPath(new URL("callers/", import.meta.url));
const FOLDERS = join(TOOLS, "node_modules/.cache/generated");
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");

/** A user's compiler as strict as it can be; it knows the web and nothing of Node. */
const STRICTEST = {
  target: "ES2022",
  lib: ["ES2022", "DOM", "DOM.Iterable"],
  types: [],
  module: "NodeNext",
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  outDir: "built",
  rootDir: ".",
};

/** A user's project with a generated client in it. */
export interface Workshop {
  /** What the compiler says, `exactOptionalPropertyTypes` aside. */
  readonly errors: readonly string[];
  /** What it says with that as well. */
  readonly strictestErrors: readonly string[];
  connect(account: Account): GeneratedClient;
  close(): void;
}

/** Generates, compiles and loads a client in its own folder, so that runs do not meet. */
export async function openWorkshop(generator: Generator, baseUrl: string): Promise<Workshop> {
  mkdirSync(FOLDERS, { recursive: true });
  const folder = mkdtempSync(join(FOLDERS, `${generator.caller}-`));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    furnish(folder, generator);
    const { code, output } = await generator.generate(folder, baseUrl);
    if (code !== 0) throw new Error(`${generator.name} ended with ${code}: ${output}`);
    const strictestErrors = await compile(folder, true);
    const errors = strictestErrors.length === 0 ? [] : await compile(folder, false);
    const connect = errors.length === 0 ? await load(folder) : refuse;
    return { errors, strictestErrors, connect, close };
  } catch (error) {
    close();
    throw error;
  }
}

function furnish(folder: string, { caller }: Generator): void {
  const sources = { caller, reply: "reply", types: "types" };
  for (const [name, source] of Object.entries(sources))
    copyFileSync(join(CALLERS, `${source}.ts.txt`), join(folder, `${name}.ts`));
  copyFileSync(join(ROOT, "docs/openapi.json"), join(folder, "openapi.json"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: STRICTEST, include: ["**/*.ts"] }));
}

/** Compiles a folder; answers the errors. */
async function compile(folder: string, exact: boolean): Promise<string[]> {
  const args = [COMPILER, "-p", ".", "--exactOptionalPropertyTypes", String(exact)];
  const { code, output } = await ended(spawn(process.execPath, args, inside(folder)));
  const errors = output.split("\n").filter((line) => /error TS\d+:/.test(line));
  if ((code === 0) !== (errors.length === 0)) throw new Error(`the compiler ended with ${code}: ${output}`);
  return errors;
}

async function load(folder: string): Promise<Workshop["connect"]> {
  const { connect } = (await import(pathToFileURL(join(folder, "built/caller.js")).href)) as Workshop;
  return connect;
}

function refuse(): never {
  throw new Error("what does not compile is not called");
}

/** How to start a program in a folder: it finds the installed tools, and gets nothing of the test runner's. */
export function inside(folder: string): { cwd: string; env: NodeJS.ProcessEnv; timeout: number } {
  const programs = [TOOLS, ROOT].map((root) => join(root, "node_modules/.bin"));
  const path = [...programs, process.env.PATH].join(":");
  return { cwd: folder, env: { PATH: path, HOME: folder }, timeout: 60_000 };
}

/** Waits for a program; answers what it printed. */
export function ended(child: ChildProcess): Promise<Ended> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString("utf8") }));
  });
}
