import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders of the repository that cite decisions. */
const FOLDERS = ["src", "transports", "test", "docs", "examples", "deploy"];
const ID = /\bD-[A-Z]+ \d+/g;
/** The comment above a case of a kit. */
const ABOVE_CASE = /^ *\/\/ D-.*$/gm;
const HEADING = /^### (?=D-)/m;
const PROOF = /\n*\*Proven by\* [^\n]*\n*$/;

/** An entry of `docs/decisions.md`. */
export interface Decision {
  /** As in `D-HTTP 9`. */
  readonly id: string;
  /** Statement and reason, without what is generated. */
  readonly text: string;
}

/** A text file of the repository. */
export interface TextFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The decisions of a register, in its order. */
export function decisionsOf(register: string): Decision[] {
  return entriesOf(register).map((entry) => ({ id: idOf(entry), text: entry.slice(idOf(entry).length) }));
}

/** The register with the tests that prove each decision. `proofs` are paths of files, by the ids that their titles cite. */
export function withProofs(register: string, proofs: ReadonlyMap<string, readonly string[]>): string {
  const [preface = ""] = register.split(HEADING);
  const entries = entriesOf(register).map((entry) => {
    const { decision, next } = partsOf(entry);
    const links = (proofs.get(idOf(entry)) ?? []).map((path) => `[${labelOf(path)}](../${path})`);
    return `### ${[decision, links.length > 0 && `*Proven by* ${links.join(", ")}`, next].filter(Boolean).join("\n\n")}`;
  });
  return `${[preface.trimEnd(), ...entries].join("\n\n")}\n`;
}

/** Ids of decisions in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(ID) ?? [])];
}

/** Ids in the strings of a source, its titles among them; ids in comments prove nothing. */
export function idsInStrings(source: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest));
  return idsIn(texts.join("\n"));
}

/** All text files that may cite decisions: sources, tests, documents, examples, deployment. */
export function textFiles(): TextFile[] {
  const top = readdirSync(ROOT).filter((name) => name.endsWith(".md"));
  return [...top, ...FOLDERS.flatMap(filesBelow)].map((path) => ({
    path,
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
}

/**
 * Paths of the tests by the decisions that they prove, the cases of the conformance kits included: their names are for people who do not
 * have this repository, so the ids stand in a comment above each.
 */
export function proofsIn(files: readonly TextFile[]): Map<string, string[]> {
  const proofs = new Map<string, string[]>();
  for (const { path, text } of files.filter(({ path }) => isTest(path) || isKit(path))) {
    const ids = isKit(path) ? idsIn((text.match(ABOVE_CASE) ?? []).join()) : idsInStrings(text);
    for (const id of ids) proofs.set(id, [...(proofs.get(id) ?? []), path].sort());
  }
  return proofs;
}

function isTest(path: string): boolean {
  return /^test\/.*\.test\.ts$/.test(path);
}

function isKit(path: string): boolean {
  return /^src\/testing\/conformance\/.*-cases\.ts$/.test(path);
}

function entriesOf(register: string): string[] {
  return register.split(HEADING).slice(1);
}

function idOf(entry: string): string {
  return entry.split("\n", 1)[0] ?? "";
}

/** An entry without its proof, and the heading of the next area where that follows. */
function partsOf(entry: string): { decision: string; next: string } {
  const [decision = "", next] = entry.trimEnd().split(/\n+(?=## )/);
  return { decision: decision.replace(PROOF, ""), next: next ?? "" };
}

function labelOf(path: string): string {
  return path.replace(/^test\/|\.test\.ts$|\.ts$/g, "");
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|md|py|ya?ml|json)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes("node_modules"));
}
