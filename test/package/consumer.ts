import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MANIFEST, ROOT } from "./build.ts";

/** A program that has ended. */
export interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project of a user, outside of this one, that has the package and what examples use beside it in its `node_modules`. */
export interface Consumer {
  readonly folder: string;
  /** Writes a file; answers its path. */
  write(name: string, text: string): string;
  /** Runs node with these arguments in the folder, for at most a minute. */
  node(...args: readonly string[]): Promise<Ended>;
  /** The same with these variables in the environment. */
  nodeWith(environment: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended>;
  close(): void;
}

/** Only what a program needs to start: nothing of the test runner's gets into it. */
export const CLEAN_ENVIRONMENT: NodeJS.ProcessEnv = { PATH: process.env.PATH };

/** Makes such a project. */
export function openConsumer(): Consumer {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-consumer-"));
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  symlinkSync(ROOT, join(modules, MANIFEST.name), "dir");
  for (const name of [
    "express",
    "express-session",
    "compression",
    "fastify",
    "vitest",
    "pino",
    "zod",
    "@types",
    "@nats-io",
  ])
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name), "dir");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  return {
    folder,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    node: (...args) => runNode(folder, args),
    nodeWith: (environment, ...args) => runNode(folder, args, environment),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { ...CLEAN_ENVIRONMENT, ...environment },
      timeout: 60_000,
      maxBuffer: 16 * 1024 * 1024,
    };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal ?? null) : 0, stdout, stderr });
    });
  });
}
