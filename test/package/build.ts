import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the package. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Where the programs are that only `npm run test:all` starts: half of all packages, which `npm ci` need not fetch. */
export const TOOLS = fileURLToPath(new URL("../tools/", import.meta.url));

/** What the suites read of package.json. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** The package.json of the package. */
export const MANIFEST = readJson("package.json") as PackageManifest;

/** A JSON file of the package. */
export function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

/** An entry that the package exports. */
export interface Entry {
  /** What a consumer imports. */
  readonly specifier: string;
  /** Paths below the package folder. */
  readonly code: string;
  readonly types: string;
}

/** All entries that hold code. */
export const ENTRIES: readonly Entry[] = Object.entries(MANIFEST.exports).flatMap(([path, target]) =>
  typeof target === "string"
    ? []
    : [{ specifier: `${MANIFEST.name}${path.slice(1)}`, code: target.default, types: target.types }],
);

/** Throws unless the build is there and younger than everything it is made of. */
export function requireBuild(): void {
  refuse(buildProblem(false));
}

/** The same with its declarations. */
export function requireDeclarations(): void {
  refuse(buildProblem(true));
}

function refuse(problem: string | undefined): void {
  if (problem) throw new Error(`${problem}; run \`npx tsup --dts\` first`);
}

/** What the build lacks, with its declarations or without. */
export function buildProblem(declarations: boolean): string | undefined {
  const built = ENTRIES.flatMap(({ code, types }) => (declarations ? [code, types] : [code]));
  const missing = built.filter((path) => !existsSync(join(ROOT, path)));
  if (missing.length > 0) return `The build lacks ${missing.join(", ")}`;
  const builtAt = Math.min(...built.map(changedAt));
  const newer = ["tsup.config.ts", ...filesBelow("src"), ...filesBelow("transports")].filter(
    (path) => changedAt(path) > builtAt,
  );
  return newer.length > 0 ? `The build is older than ${newer.join(", ")}` : undefined;
}

function changedAt(path: string): number {
  return statSync(join(ROOT, path)).mtimeMs;
}

function filesBelow(folder: string): string[] {
  const found = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return found.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name).slice(ROOT.length));
}
