import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { unpackDebian, type WantedPackages } from "./debian-packages.ts";

/** A program that tests need. */
export interface WantedProgram {
  readonly name: string;
  /** Environment variable with the path of another one. */
  readonly variable: string;
  /** Debian packages that have it; the first of their programs is the one. */
  readonly debian: Omit<WantedPackages, "name">;
}

/** A program, and how it was found. */
export interface FoundProgram {
  readonly path: string;
  readonly how: string;
  /** Folder below which the other files of its package are. */
  readonly root: string;
  /** Variables of its process. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds a program: what the variable names, else on the search path, else Debian's package, which is fetched once and unpacked
 * below `node_modules/.cache`. Nothing is installed on the system. Rejects with what to do when there is none.
 */
export async function findProgram({ name, variable, debian }: WantedProgram): Promise<FoundProgram> {
  const installed = { root: "/", environment: process.env };
  const named = process.env[variable];
  if (named !== undefined) {
    if (await isExecutable(named)) return { path: named, how: `named by ${variable}`, ...installed };
    throw new Error(`${variable} names ${named}, which is not a program that can be run`);
  }
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/sbin"];
  for (const path of folders.map((folder) => join(folder, name))) {
    if (await isExecutable(path)) return { path, how: "found on this machine", ...installed };
  }
  const { root, environment } = await unpackDebian({ name, ...debian }).catch((cause: Error) => {
    const remedy = `install the Debian package ${debian.packages[0]}, or set ${variable} to the path of the program`;
    throw new Error(`These tests need ${name}, and there is none: ${remedy}. ${cause.message}`, { cause });
  });
  return { path: join(root, debian.programs[0] ?? ""), how: "unpacked from the Debian package", root, environment };
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
