import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { COMMAND, requireCommand } from "../cli/command.ts";
import { withWorld } from "../client/calls.ts";
import { committedDocument, operationsOf } from "../openapi/committed.ts";
import { ROOT } from "../package/build.ts";
import { requestExamples } from "./operation-requests.ts";

const EXAMPLES = operationsOf(committedDocument()).flatMap((found) =>
  requestExamples(found).map((example) => ({ name: `${found.operation.operationId}: ${example.summary}`, ...example })),
);

describe("docs/reference/operations.md", () => {
  it("has an example of every operation", () => {
    expect(operationsOf(committedDocument()).flatMap(requestExamples)).toHaveLength(EXAMPLES.length);
    expect(operationsOf(committedDocument()).every((found) => requestExamples(found).length > 0)).toBe(true);
  });

  it("its curl lines do what they show, in a shell, against the sample installation", () =>
    withWorld(async ({ url, clock, call }) => {
      await call("adjustPosition", { projectionPath: "Account[GOLD]/Symbol[EUR/USD]", size: "-250000" });
      for (const { name, curl, response } of EXAMPLES) {
        const script = `api=${url} auth='chief:password of chief'; ${curl.replace("curl ", "curl -sS -w '\\n%{http_code}' ")}`;
        const { stdout } = await promisify(execFile)("bash", ["-c", script]);
        clock.advance(100);
        const [, body = "", status] = /^(.*)\n(\d+)$/s.exec(stdout) ?? [];
        expect(`${name}: ${status} ${status === "200" ? "" : body}`).toBe(`${name}: 200 `);
        expect([name, shapeOf(body === "" ? undefined : JSON.parse(body))]).toEqual([name, shapeOf(response)]);
      }
    }));

  it("its command lines send what its curl lines send", async () => {
    requireCommand();
    const environment = {
      PATH: process.env.PATH,
      TRADING_ADMIN_URL: "http://127.0.0.1:1",
      TRADING_ADMIN_USER: "chief",
    };
    const asFunction = `trading-admin() { "${process.execPath}" "${COMMAND}" "$@"; }`;
    // `call` sends what it is given; commands of their own have to say what they send.
    for (const { name, cli, curl } of EXAMPLES.filter(({ cli }) => !cli.startsWith("trading-admin call "))) {
      const { stdout } = await promisify(execFile)("bash", ["-c", `${asFunction}; ${cli} --curl`], {
        env: environment,
      });
      expect([name, requestOf(stdout)]).toEqual([name, requestOf(curl)]);
    }
  });

  it("its TypeScript compiles, as strictly as the package itself", () => {
    const folder = mkdtempSync(join(tmpdir(), "trading-admin-operations-"));
    const file = join(folder, "operations.mts");
    const head = 'import type { AdminClient } from "trading-admin-api/client";\ndeclare const client: AdminClient;\n';
    writeFileSync(file, `${head}${EXAMPLES.map(({ typescript }) => typescript).join("\n")}\nexport {};\n`);
    const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT, {}, join(ROOT, "tsconfig.json"));
    const program = ts.createProgram([file], { ...options, typeRoots: [join(ROOT, "node_modules/@types")] });
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    rmSync(folder, { recursive: true });
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
  });
});

/** Method, path with query, and body of a curl line. */
function requestOf(line: string): unknown {
  const [, path] = /(?:\$api|\/api\/admin\/v1)([^\s"']*)/.exec(line) ?? [];
  const fields = [...line.matchAll(/--data-urlencode '(\w+)=([^']*)'/g)].map(([, key = "", value = ""]) => [
    key,
    value,
  ]);
  const [, body] = /(?:-d|--data(?:-raw|-binary)?) '(\{[^']*\})'/.exec(line) ?? [];
  if (path === undefined || line.includes("'{") !== (body !== undefined)) throw new Error(`not understood: ${line}`);
  const [pathname, query] = path.split("?");
  const asked = [...new URLSearchParams(query), ...fields].sort();
  return [/-X POST|--request POST|POST/.test(line), pathname, asked, body && JSON.parse(body)];
}

/** Whether there is a list, an object or nothing, and the names of its fields: values differ from moment to moment. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return ["list", value.length > 0 ? shapeOf(value[0]) : undefined];
  return typeof value === "object" && value !== null ? Object.keys(value).sort() : typeof value;
}
