import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url).pathname;

interface Room {
  readonly folder: string;
  /** Folders and files of this package, as the table names them. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

/** The table of `docs/architecture.md`. */
const ROOMS: readonly Room[] = [
  ...readFileSync(join(ROOT, "docs/architecture.md"), "utf8").matchAll(
    /^\| `((?:src\/|transports)[^`]*)` *\|[^|]*\|([^|]*)\|([^|]*)\|$/gm,
  ),
].map(([, folder = "", rooms = "", packages = ""]) => ({
  folder,
  rooms: rooms.split(",").flatMap((room) => room.trim() || []),
  packages: [...packages.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []),
}));

/** What a file of the sources imports: files from the root of the repository, and names of modules. */
const IMPORTS: ReadonlyMap<string, readonly string[]> = new Map(
  ["src", "transports"].flatMap(sourcesIn).map((file) => [file, importsOf(file)]),
);

function sourcesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), "utf8"), true, true);
  return importedFiles.map(({ fileName: name }) =>
    name.startsWith(".") ? normalize(join(dirname(file), name)) : name,
  );
}

function isOwn(module: string): boolean {
  return module.startsWith("src/") || module.startsWith("transports/");
}

function filesOf({ folder }: Room): [string, readonly string[]][] {
  return [...IMPORTS].filter(([file]) => file.startsWith(`${folder}/`));
}

/** `http/documents` of `src/http/documents.ts`; `transports/in-process` of `transports/in-process.ts`. */
function pathOf(file: string): string {
  return file.replace(/^src\//, "").replace(/\.ts$/, "");
}

function isWithin(file: string, room: string): boolean {
  return pathOf(file) === room || pathOf(file).startsWith(`${room}/`);
}

function packageOf(module: string): string {
  return module.split("/", module.startsWith("@") ? 2 : 1).join("/");
}

/** Files that import one another, in a circle. */
function circles(): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push(path.slice(path.indexOf(file)));
    if (done.has(file) || path.includes(file)) return;
    for (const next of IMPORTS.get(file) ?? []) if (IMPORTS.has(next)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of IMPORTS.keys()) visit(file, []);
  return found;
}

describe("D-PKG 5: the table of rooms in docs/architecture.md is what the sources import", () => {
  it("and every file of the sources is in a room of the table, or is one of the two entries over all rooms", () => {
    const outside = [...IMPORTS.keys()].filter((file) => !ROOMS.some(({ folder }) => file.startsWith(`${folder}/`)));
    expect(outside.toSorted()).toEqual(["src/extend.ts", "src/index.ts"]);
  });

  it.each(ROOMS.map((room) => [room.folder, room] as const))(
    "%s imports the rooms that it may, and each of them",
    (_, room) => {
      const others = filesOf(room).flatMap(([file, modules]) =>
        modules
          .filter((module) => isOwn(module) && !module.startsWith(`${room.folder}/`))
          .map((module) => [file, module] as const),
      );
      expect(others.filter(([, module]) => !room.rooms.some((allowed) => isWithin(module, allowed)))).toEqual([]);
      expect(room.rooms.filter((allowed) => !others.some(([, module]) => isWithin(module, allowed)))).toEqual([]);
    },
  );

  it.each(ROOMS.map((room) => [room.folder, room] as const))(
    "%s imports the packages that it may, and each of them",
    (_, room) => {
      const used = filesOf(room)
        .flatMap(([, modules]) => modules)
        .filter((module) => !isOwn(module) && !module.startsWith("node:"))
        .map(packageOf);
      expect([...new Set(used)].toSorted()).toEqual(room.packages.toSorted());
    },
  );

  it("and what the client imports runs in browsers: nothing of Node", () => {
    const ofNode = [...IMPORTS].filter(
      ([file, modules]) => file.startsWith("src/client/") && modules.some((name) => name.startsWith("node:")),
    );
    expect(ofNode).toEqual([]);
  });

  it("and no file imports itself through others", () => {
    expect(circles()).toEqual([]);
  });
});
