import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { ROOT } from "../package/build.ts";

/** What the sources, their generators and the documents that are generated need. */
const FOLDERS = ["src", "transports", "test", "docs", "examples"];
const FILES = [
  ".gitignore",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "biome.json",
  "package.json",
  "tsconfig.json",
  "tsup.config.ts",
  "vitest.config.ts",
];

/** Entries of a built copy, by the name of what is built. */
const ENTRIES = {
  index: "src/index.ts",
  node: "src/http/node.ts",
  client: "src/client/index.ts",
  engine: "src/engine/index.ts",
  testing: "src/testing/index.ts",
  "in-process": "transports/in-process.ts",
  "cli/main": "src/cli/main.ts",
};

/** What a program wrote and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A copy of the repository in a temporary folder, to be changed and built. */
export class RepositoryCopy {
  readonly folder: string;
  /** What was compiled last; what has not changed since is not read again. */
  #program: ts.Program | undefined;
  readonly #children = new Set<ChildProcess>();

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "trading-admin-copy-"));
    for (const name of [...FOLDERS, ...FILES]) cpSync(join(ROOT, name), join(this.folder, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  /** Puts text in front of a line that a file has once. */
  insert(path: string, text: string, before: string): void {
    const parts = this.read(path).split(before);
    if (parts.length !== 2) throw new Error(`${path} has ${JSON.stringify(before)} ${parts.length - 1} times`);
    writeFileSync(join(this.folder, path), parts.join(`${text}${before}`));
  }

  /** Files that the original does not have, or has with other content. */
  changes(): string[] {
    return FOLDERS.flatMap((folder) => filesBelow(this.folder, folder)).filter(
      (path) => !isSameFile(join(this.folder, path), join(ROOT, path)),
    );
  }

  /** Files of the package's own code that do not compile; `among` leaves all others out. */
  brokenFiles(among?: readonly string[]): string[] {
    const { config } = ts.readConfigFile(join(this.folder, "tsconfig.json"), ts.sys.readFile);
    const include = ["src", "transports"];
    const { options, fileNames } = ts.parseJsonConfigFileContent({ ...config, include }, ts.sys, this.folder);
    const program = ts.createProgram(fileNames, options, undefined, this.#program);
    this.#program = program;
    const looked = (among ?? [undefined]).map((path) => path && program.getSourceFile(join(this.folder, path)));
    const found = looked.flatMap((file) => ts.getPreEmitDiagnostics(program, file || undefined));
    return [...new Set(found.map(({ file }) => file?.fileName.slice(this.folder.length + 1) ?? "no file"))].toSorted();
  }

  /** Runs a program of Node in the copy. */
  async node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const { VITEST: _, ...inherited } = process.env;
    const child = spawn(process.execPath, args, { cwd: this.folder, env: { ...inherited, ...env } });
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, stdout, stderr };
  }

  async build(): Promise<void> {
    await build({
      entryPoints: ENTRIES,
      absWorkingDir: this.folder,
      outdir: "dist",
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      packages: "external",
    });
  }

  /** An entry of the built copy. */
  load(entry: keyof typeof ENTRIES): Promise<unknown> {
    return import(/* @vite-ignore */ join(this.folder, "dist", `${entry}.js`));
  }

  close(): void {
    // One that a test no longer waits for would look for its files for ever.
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function filesBelow(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .toSorted();
}

function isSameFile(a: string, b: string): boolean {
  const [found, expected] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false }));
  return found !== undefined && expected?.size === found.size && readFileSync(a).equals(readFileSync(b));
}
