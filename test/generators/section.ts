import { readJson } from "../docs/bus-files.ts";
import { table } from "../docs/markdown-table.ts";
import type { Generator } from "./generator.ts";
import { GENERATORS } from "./generators.ts";

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

const LOCK = readJson("package-lock.json") as LockFile;
const TOOLS_LOCK = readJson("test/tools/package-lock.json") as LockFile;

const BEGIN = "<!-- clients: generated, see test/generators/docs.test.ts -->";
const END = "<!-- end of clients -->";

/** The tables that the documentation has of generators and what they cannot do. */
function tables(): string {
  const commands = table(["Generator", "Versions", "Command"], GENERATORS.map(commandRow));
  const shapes = table(
    ["Generator", "A refusal", "`data` of an empty 200", "`error` of an empty 401 of a read", "... of a command"],
    GENERATORS.map(shapeRow),
  );
  const limits = table(["Generator", "Cannot", "Because", "Instead"], GENERATORS.flatMap(limitRows));
  return [commands, shapes, limits].join("\n\n");
}

/** The document with the tables as they have to be. Throws when it has no place for them. */
export function withTables(document: string): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error("the document has no place for the tables of generators");
  return `${document.slice(0, from + BEGIN.length)}\n\n${tables()}\n\n${document.slice(to)}`;
}

function commandRow({ name, packages, command }: Generator): string[] {
  return [name, packages.map(version).join(", "), `\`${command}\``];
}

function shapeRow({ name, shapes }: Generator): string[] {
  const { refusals, emptyData, emptyError, emptyErrorOfCommand } = shapes;
  return [name, refusals, emptyData.says, emptyError.says, emptyErrorOfCommand.says];
}

function limitRows({ name, limits }: Generator): string[][] {
  return Object.values(limits).map(({ cannot, why, instead }) => [name, cannot, why, instead]);
}

function version(name: string): string {
  const lock = [LOCK, TOOLS_LOCK].map(({ packages }) => packages[`node_modules/${name}`]).find(Boolean);
  if (!lock) throw new Error(`no lock file has ${name}`);
  return `${name} ${lock.version}`;
}
