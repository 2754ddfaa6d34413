import { beforeAll, describe, expect, it } from "vitest";
import config from "../../tsup.config.ts";
import { outputOf } from "../support/output-of.ts";
import { ENTRIES, MANIFEST, ROOT, readJson, requireBuild, requireDeclarations } from "./build.ts";
import { neededPackages } from "./imports.ts";

/** Loaded by the entry that needs them; Express is the host's own. */
const OPTIONAL_PEERS = ["@nats-io/jetstream", "@nats-io/kv", "@nats-io/transport-node", "ldapts"];

/** Packages that the text of a thread requires (src/auth/passwords/hash-threads.ts). */
const NEEDED_BY_THREADS = ["bcrypt"];

type Sources = Readonly<Record<string, string>>;

/** Entry of the build whose code is at this path. */
function builtEntry(code: string): string {
  return code.replace(/^(?:\.\/)?dist\/(.*)\.js$/, "$1");
}

function sources(): Sources {
  if (typeof config === "function" || Array.isArray(config)) throw new Error("the build has one configuration");
  return config.entry as Sources;
}

describe("pin: package.json, tsup.config.ts and tsconfig.json name the same entries", () => {
  it("each entry of the build is exported or the command, and nothing else is", () => {
    const built = [...ENTRIES.map(({ code }) => code), ...Object.values(MANIFEST.bin)].map(builtEntry);
    expect(built.toSorted()).toEqual(Object.keys(sources()).toSorted());
    expect(MANIFEST.bin).toEqual({ "trading-admin": "dist/cli/main.js" });
  });

  it("the name of an export is the name of its files, and types come first", () => {
    for (const [path, target] of Object.entries(MANIFEST.exports)) {
      if (path === "./package.json") expect(target).toBe(path);
      else {
        const entry = path === "." ? "index" : path.slice(2);
        const expected = { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` };
        expect(JSON.stringify(target), path).toBe(JSON.stringify(expected));
      }
    }
  });

  it("the compiler finds the source of each export without a build", () => {
    const { compilerOptions } = readJson("tsconfig.json") as { compilerOptions: { paths: Record<string, string[]> } };
    const expected = ENTRIES.map(({ specifier, code }) => [specifier, [`./${sources()[builtEntry(code)]}`]]);
    expect(compilerOptions.paths).toEqual(Object.fromEntries(expected));
  });
});

describe("D-PKG 2: what package.json depends on", () => {
  beforeAll(requireDeclarations);

  it("is what code or declarations need; the NATS client and ldapts are optional peers", () => {
    const needed = new Set([
      ...ENTRIES.flatMap(({ code, types }) => [...neededPackages(code), ...neededPackages(types)]),
      ...Object.values(MANIFEST.bin).flatMap(neededPackages),
      ...NEEDED_BY_THREADS,
    ]);
    const declared = [...Object.keys(MANIFEST.dependencies), ...OPTIONAL_PEERS];
    expect([...needed].toSorted()).toEqual(declared.toSorted());
    for (const peer of OPTIONAL_PEERS) expect(MANIFEST.peerDependenciesMeta[peer]).toEqual({ optional: true });
  });
});

describe("pin: what npm packs", () => {
  beforeAll(requireBuild);

  it("is the build, the documentation, the sample installation, the examples, and no source or test", () => {
    const packed = JSON.parse(
      outputOf("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
        cwd: ROOT,
        stdio: "pipe",
      }),
    );
    const files = (packed as [{ files: { path: string }[] }])[0].files.map(({ path }) => path);
    const entries = ENTRIES.flatMap(({ code, types }) => [code.slice(2), types.slice(2)]);
    expect(files).toEqual(
      expect.arrayContaining([
        ...entries,
        "dist/cli/main.js",
        "examples/demo/installation.yaml",
        "package.json",
        "LICENSE",
      ]),
    );
    const unexpected = files.filter(
      (path) =>
        !/^(dist|docs|examples\/(cluster|demo|(java|nautilus|python|quickfixj)-engine))\/|^examples\/([a-z.-]+\.m?[jt]s|fix-client\.py)$|^[A-Z]+(\.md)?$|^package\.json$/.test(
          path,
        ),
    );
    expect(unexpected).toEqual([]);
  });
});
