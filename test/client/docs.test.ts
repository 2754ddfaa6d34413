import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CLIENT } from "../auth/token/identity-provider.ts";
import { ROOT } from "../package/build.ts";
import { withWorld } from "./calls.ts";
import { AUDIENCE, withProvider } from "./provider-world.ts";

const ENTRY = '"trading-admin-api/client"';

/** All examples of the page, one after the other. */
const PROGRAM = readFileSync(join(ROOT, "test/docs/snippets/client.ts"), "utf8");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "trading-admin-client-"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

it("the examples of docs/reference/client.md compile, as strictly as the package itself", () => {
  const file = join(folder, "client.mts");
  writeFileSync(file, PROGRAM);
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT, {}, join(ROOT, "tsconfig.json"));
  const program = ts.createProgram([file], { ...options, typeRoots: [join(ROOT, "node_modules/@types")] });
  const source = program.getSourceFile(file);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
});

it("the examples of docs/reference/client.md do what they say, against an API with passwords and one with a real identity provider", () =>
  withWorld((simple) =>
    withProvider(async (provider, tokens) => {
      vi.stubEnv("OPERATOR_PASSWORD", "password of chief");
      vi.stubEnv("BOT_SECRET", CLIENT.secret);
      const places: Readonly<Record<string, string>> = {
        "https://monitor:8988": simple.origin,
        "https://gateway:8988": tokens.origin,
        "https://login:8443": provider.issuer,
        '"operator"': '"chief"',
        [ENTRY]: JSON.stringify(join(ROOT, "src/client/index.ts")),
      };
      const program = Object.entries(places).reduce((code, [from, to]) => code.replaceAll(from, to), PROGRAM);
      expect(program).not.toContain("https:");
      const file = join(folder, "client.ts");
      writeFileSync(file, program);
      const ticking = setInterval(() => simple.clock.advance(1), 5);
      const done = await import(/* @vite-ignore */ file).finally(() => clearInterval(ticking));
      expect(done.services).toContainEqual(expect.objectContaining({ name: "TWAP" }));
      expect(done.table).toMatchObject({ projection: "Source" });
      expect([done.state, done.status]).toEqual([
        { projectionPath: "", halted: true, reason: "fat finger" },
        { projectionPath: "", halted: true, reason: "fat finger" },
      ]);
      const user = tokens.audit.records.map((record) => [record.user, record.operation, record.stage]);
      expect(user).toContainEqual([CLIENT.id, "haltTrading", "applied"]);
      expect(PROGRAM).toContain(AUDIENCE);
    }),
  ));
