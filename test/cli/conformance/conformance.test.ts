import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SaxesParser } from "saxes";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Engine, EngineRejection } from "../../../src/engine/engine.ts";
import { serveEngine } from "../../../src/engine/serve.ts";
import { openWebSocketBus } from "../../../transports/websocket.ts";
import { partOf, simulated } from "../../conformance/judged.ts";
import { ROOT } from "../../package/build.ts";
import { CLEAN_ENVIRONMENT } from "../../package/consumer.ts";
import { RealTerminal } from "../../support/terminal.ts";
import { COMMAND, requireCommand } from "../command.ts";
import { Workplace } from "../workplace.ts";

const LANDMARKS = join(ROOT, "examples/demo/landmarks.yaml");
const TOKEN = "a-token-that-nobody-guesses";

/** What an engine may say, and no terminal and no XML may hold. */
const ODD_TEXT = 'no <halts> & \u001b[31mno\u0000 "more"\uffff';

let workplace: Workplace;
const closing: (() => Promise<void>)[] = [];

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.write("token", `${TOKEN}\n`);
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await workplace.close();
});

/** Puts an engine on a WebSocket; returns its address. */
async function listen(engine: Engine, token?: string): Promise<string> {
  const bus = await openWebSocketBus({ host: "127.0.0.1", port: 0, ...(token !== undefined && { token }) });
  closing.push(() => bus.close());
  await serveEngine(engine, bus);
  return bus.url;
}

/** Has trading and services alone, and refuses each halt with an odd text. */
function refusingHalts(): Engine {
  const engine = partOf(simulated(), (name) => /Trading|Service/.test(name));
  return new Proxy(engine, {
    get: (target, name) =>
      name === "haltTrading"
        ? () => {
            throw new EngineRejection("rejected", ODD_TEXT);
          }
        : target[name as "haltTrading"],
  });
}

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly cases: readonly { readonly name: string; readonly result: string; readonly message?: string }[];
}

/** Elements of an XML text with their attributes; throws where it is not well-formed. */
function elementsOf(xml: string): { readonly name: string; readonly attributes: Record<string, string> }[] {
  const elements: { name: string; attributes: Record<string, string> }[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on(
    "opentag",
    ({ name, attributes }) => void elements.push({ name, attributes: attributes as Record<string, string> }),
  );
  parser.write(xml).close();
  return elements;
}

describe("D-CLI 30: trading-admin conformance runs the kit against an engine in another process", () => {
  it("the simulated engine passes all cases, twice: a line for each, and a last line of numbers", async () => {
    const { url } = await workplace.engine("--listen", "ws://127.0.0.1:0", "--token-file", "token");
    const { code, stdout, stderr } = await workplace.run([
      "conformance",
      url,
      "--token-file",
      "token",
      "--landmarks",
      LANDMARKS,
    ]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => /^(FAILED|n\/a| )/.test(line))).toEqual([]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const passed = lines.filter((line) => line.startsWith("passed  "));
    expect(lines.at(-1)).toBe(`${passed.length} passed, 0 failed, 0 not applicable`);
    expect(passed.length).toBeGreaterThan(60);
    const again = await workplace.run(["conformance", url, "--token-file", "token", "-o", "json"]);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({
      engine: url,
      failed: 0,
      reasons: { "no risk table": expect.any(Number) },
    });
    expect(again.stderr).toContain("without --landmarks only what needs no name of the installation is judged");
  });

  it("of an engine that has a part, what it lacks is not applicable, and what it does wrong fails: exit code 1", async () => {
    const url = await listen(refusingHalts());
    const { code, stdout } = await workplace.run(["conformance", url, "--landmarks", LANDMARKS]);
    expect(code).toBe(1);
    expect(stdout).toContain("FAILED  trading: a halt is accepted and then seen, with its reason; a resume too\n");
    expect(stdout).toContain("passed  services: an algorithm has no status\n");
    expect(stdout).toContain("n/a     FIX: each gateway is listed once (no listFixGateways)\n");
    expect(stdout).toMatch(/\n\d+ passed, \d+ failed, \d+ not applicable: .*no listFixGateways \(\d+\)/);
    expect(stdout).toContain("no <halts> & no\\u0000");
    expect([...stdout].filter((character) => character < " " && character !== "\n")).toEqual([]);
  });

  it("operations that landmarks declare are the only ones that are asked for, and have to be there", async () => {
    const url = await listen(partOf(simulated(), (name) => name !== "haltTrading"));
    workplace.write(
      "landmarks.json",
      JSON.stringify({ operations: ["getTradingStatus", "resumeTrading", "haltTrading"] }),
    );
    const { code, stdout } = await workplace.run(["conformance", url, "--landmarks", "landmarks.json", "-o", "json"]);
    const { cases, reasons } = JSON.parse(stdout) as Report;
    expect(code).toBe(1);
    expect(reasons).toHaveProperty("no listServices");
    const messages = cases.flatMap(({ message }) => message ?? []);
    expect(messages[0]).toMatch(/^haltTrading is declared, but the engine refuses it as unsupported/);
  });
});

describe("D-CLI 31: what a pipeline reads of it", () => {
  it("JUnit XML is well-formed whatever the engine says, and has its numbers", async () => {
    const url = await listen(refusingHalts());
    const options = ["--landmarks", LANDMARKS, "-o", "junit"];
    const { code, stdout } = await workplace.run(["conformance", url, ...options]);
    expect(code).toBe(1);
    const [root, ...elements] = elementsOf(stdout);
    const count = (name: string): string => String(elements.filter((element) => element.name === name).length);
    expect(root).toMatchObject({
      name: "testsuites",
      attributes: { tests: count("testcase"), failures: count("failure"), skipped: count("skipped"), errors: "0" },
    });
    const suites = elements.filter(({ name }) => name === "testsuite").map(({ attributes }) => attributes.name);
    expect(suites).toEqual(
      expect.arrayContaining(["trading", "risk", "positions", "services", "FIX", "deadline", "order"]),
    );
    expect(elements.find(({ name }) => name === "skipped")?.attributes.message).toMatch(/^no /);
    const failures = elements.filter(({ name }) => name === "failure").map(({ attributes }) => attributes.message);
    expect(failures.join("\n")).toContain('no <halts> & no\\u0000 "more"\\uffff');
  });

  it.each([
    [
      "no engine at the address",
      ["ws://127.0.0.1:1"],
      6,
      /^trading-admin: No connection to the engine at ws:\/\/127\.0\.0\.1:1: /,
    ],
    ["an address that is not that of a bus", ["http://127.0.0.1:1"], 2, /must be a URL such as ws:\/\//],
    ["an address that is no URL", ["engine"], 2, /must be a URL such as ws:\/\//],
    ["no address", [], 2, /missing required argument 'url'/],
    [
      "a file that is not there",
      ["ws://127.0.0.1:1", "--landmarks", "none.yaml"],
      2,
      /--landmarks: the file cannot be read/,
    ],
    [
      "a file that is neither YAML nor JSON",
      ["ws://127.0.0.1:1", "--landmarks", "odd.yaml"],
      2,
      /is neither YAML nor JSON/,
    ],
  ])("%s: nothing on standard output, and its exit code", async (_what, args, exit, message) => {
    workplace.write("odd.yaml", ": : [");
    const { code, stdout, stderr } = await workplace.run(["conformance", ...args]);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it("a wrong token: exit code 4, and the engine's status", async () => {
    const url = await listen(simulated(), "another token");
    for (const token of [[], ["--token-file", "token"]]) {
      const { code, stdout, stderr } = await workplace.run(["conformance", url, ...token]);
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toBe(
        `trading-admin: No connection to the engine at ${url}: it refused the connection: 401 Unauthorized; check the token\n`,
      );
    }
  });

  it("all that is wrong with a file of landmarks is said, each on a line", async () => {
    workplace.write("wrong.yaml", "haltPath: Account\nalgoritm: VWAP\nsessions: { disabled: [{ gateway: OE1 }] }\n");
    const { code, stderr } = await workplace.run(["conformance", "ws://127.0.0.1:1", "--landmarks", "wrong.yaml"]);
    expect(code).toBe(2);
    const lines = stderr.trimEnd().split("\n");
    expect(lines[0]).toBe("trading-admin: --landmarks: wrong.yaml is not a file of landmarks");
    expect(lines.slice(1).map((line) => line.split(":")[0])).toEqual(
      expect.arrayContaining(["haltPath", "sessions.disabled.0.session", "the file"]),
    );
  });

  it("a person at a terminal is asked first, and nothing is sent after a no", async () => {
    const engine = simulated();
    const url = await listen(engine);
    const terminal = new RealTerminal(process.execPath, [COMMAND, "conformance", url], {
      cwd: workplace.path,
      environment: { ...CLEAN_ENVIRONMENT, HOME: workplace.path },
    });
    closing.push(async () => terminal.close());
    expect(await terminal.until(/Type yes to continue:/)).toContain("halt and resume all trading");
    terminal.type("no\r");
    expect(await terminal.ended()).toBe(6);
    expect(engine.getTradingStatus({ projectionPath: "" })).toMatchObject({ halted: false, reason: null });
  });
});

it("no other command loads the kit", () => {
  const bundle = readFileSync(COMMAND, "utf8");
  expect(bundle).toMatch(/import\("\.\.\/conformance-/);
  expect(bundle).not.toMatch(/from "\.\.\/conformance-/);
});
