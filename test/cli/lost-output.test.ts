import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { refusalWords } from "../../src/core/records/second-person.ts";
import { accept, errorBody, json, ScriptedServer, type SeenRequest } from "../client/scripted-server.ts";
import { ROOT } from "../package/build.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { exampleReply } from "../support/example-reply.ts";
import { EVERYTHING } from "../support/extent.ts";
import { freePort } from "../support/ports.ts";
import { COMMAND, requireCommand } from "./command.ts";
import { FAILURES, type Failure, type Stream, start } from "./lost-output.ts";
import { Workplace } from "./workplace.ts";

beforeAll(requireCommand);

/** Commands that act; `npm test` tries a stop and a change of them. */
const ACTING: readonly (readonly string[])[] = [
  ["halt", "--reason", "t"],
  ["resume", "--yes"],
  ["positions", "adjust", "Account[A]/Symbol[B]", "--size", "1", "--yes", "--no-wait"],
  ["halt", "--no-wait"],
  ["services", "disable", "SIM"],
  ["services", "enable", "SIM", "--yes"],
  ["fix", "disable", "OE1", "A"],
  ["fix", "enable", "OE1", "A", "--yes"],
  ["fix", "disconnect", "OE1", "A"],
  ["risk", "update", "Account", "--commands", '[{"type":"DELETE","conditions":{"Account":"A"}}]', "--yes"],
  ["call", "haltTrading", "{}"],
  ["drill", "--yes"],
];

const READING: readonly (readonly string[])[] = [
  ["trading", "status"],
  ["services", "list"],
  ["services", "show", "SIM"],
  ["positions", "list", "Account"],
  ["risk", "table", "Account"],
  ["risk", "export", "Account"],
  ["fix", "sessions", "OE1"],
  ["fix", "gateways"],
  ["doctor"],
];

/** Commands that need no gateway. */
const LOCAL: readonly (readonly string[])[] = [
  ["--help"],
  ["--version"],
  ["halt", "--help"],
  ["nonsense"],
  ["profiles", "list"],
];

const COMMANDS = EVERYTHING
  ? [...ACTING, ...READING, ...LOCAL]
  : [
      ["halt", "--reason", "t"],
      ["positions", "adjust", "Account[A]/Symbol[B]", "--size", "1", "--yes", "--no-wait"],
    ];

function isOneOf(commands: readonly (readonly string[])[], args: readonly string[]): boolean {
  return commands.some((command) => command.join(" ") === args.join(" "));
}

const STREAMS: readonly Stream[] = ["stdout", "stderr"];

/** What the gateway does: another address before it is down, it refuses commands, it carries them out. */
const GATEWAYS = ["first address down", "503", "fine"] as const;

/** Those between which a command can tell a difference. */
function gatewaysFor(args: readonly string[]): readonly (typeof GATEWAYS)[number][] {
  if (isOneOf(LOCAL, args)) return ["fine"];
  return isOneOf(READING, args) ? ["first address down", "fine"] : GATEWAYS;
}

function isCommand({ method, path }: SeenRequest): boolean {
  return method === "POST" && !path.endsWith("/positions");
}

/** An installation with one halt switch; the other commands change nothing that is read. */
class Installation {
  reason: string | null = null;
  refuses = false;

  answer(response: ServerResponse, request: SeenRequest): void {
    const { path, body } = request;
    if (isCommand(request) && this.refuses) {
      json(response, 503, errorBody(503, "no bus"));
      return;
    }
    if (path.includes("/trading/halt"))
      this.reason = (JSON.parse(body || "{}") as { reason?: string }).reason ?? "Trading halted";
    if (path.includes("/trading/resume")) this.reason = null;
    if (/\/(halt|resume|adjust|disable|enable)$/.test(path) && !path.includes("/fix/")) {
      accept(response);
      return;
    }
    const found = Object.keys(this.#state).find((part) => path.includes(part));
    json(response, 200, this.#state[found ?? ""] ?? {});
  }

  get #state(): Readonly<Record<string, object>> {
    return {
      "/trading/halts": exampleReply("listHalts", { halts: [] }),
      "/trading/": { projectionPath: "", halted: this.reason !== null, reason: this.reason },
      "/positions": [],
      "/risk/": { projection: "Account", rows: [] },
      "/sessions/": exampleReply("getFixSession", { gatewayName: "OE1", sessionId: "A", status: "Connected" }),
      "/fix/": [],
      "/services/SIM": exampleReply("getService", { name: "SIM", enabled: true }),
      "/services": [],
    };
  }
}

const CREDENTIALS = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };

function workplace(): Workplace {
  const opened = new Workplace();
  onTestFinished(() => opened.close());
  return opened;
}

interface Came {
  readonly code: number | string | null;
  /** Commands that the gateway was sent. */
  readonly sent: readonly string[];
}

async function run(
  args: readonly string[],
  gateway: (typeof GATEWAYS)[number],
  broken?: { readonly stream: Stream; readonly failure: Failure },
): Promise<Came> {
  const installation = new Installation();
  installation.refuses = gateway === "503";
  const server = await ScriptedServer.start((response, request) => installation.answer(response, request));
  const first = gateway === "first address down" ? `http://127.0.0.1:${await freePort()},` : "";
  const started = start(workplace(), args, { ...CREDENTIALS, TRADING_ADMIN_URL: `${first}${server.origin}` }, broken);
  const code = await started.ended;
  const sent = server.requests.filter(isCommand).map(({ path }) => path);
  await server.stop();
  return { code, sent };
}

describe("D-CLI 9: words never decide: what is sent, and the exit code, are those of healthy output", () => {
  describe.each(COMMANDS.map((args) => [args.join(" "), args] as const))("%s", (_, args) => {
    it.each(gatewaysFor(args))("%s", { timeout: 240_000 }, async (gateway) => {
      const healthy = await run(args, gateway);
      const cases = STREAMS.flatMap((stream) => FAILURES.map((failure) => ({ stream, failure })));
      // What was only read may wait for its reader, as the next test shows.
      const waits = (stream: Stream, failure: Failure): boolean =>
        stream === "stdout" && failure === "blocked" && !isOneOf(ACTING, args);
      const tried = cases.filter(({ stream, failure }) => !waits(stream, failure));
      const came = await Promise.all(
        tried.map(async (broken) => ({ ...broken, ...(await run(args, gateway, broken)) })),
      );
      expect(came).toEqual(tried.map((broken) => ({ ...broken, ...healthy })));
    });
  });

  it("a second address is sent the halt that the first did not get, and done is 0", async () => {
    for (const failure of FAILURES) {
      const came = await run(["halt"], "first address down", { stream: "stderr", failure });
      expect({ failure, ...came }).toEqual({ failure, code: 0, sent: ["/api/admin/v1/trading/halt"] });
    }
  });

  it("a list is complete however late its reader comes", async () => {
    // More than a pipe holds.
    const rows = Array.from({ length: 40_000 }, (_, index) =>
      exampleReply("listServices", { name: `service ${index}` }),
    );
    const server = await ScriptedServer.start((response) => json(response, 200, rows));
    const environment = { ...CLEAN_ENVIRONMENT, ...CREDENTIALS, TRADING_ADMIN_URL: server.origin };
    const child = spawn(process.execPath, [COMMAND, "services", "list", "-o", "json"], {
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await expect.poll(() => server.requests.length).toBe(1);
    await pause(3_000);
    const stdout = await text(child.stdout);
    expect(JSON.parse(stdout)).toEqual(rows);
  });

  it.each([
    ["trading", "watch"],
    ["fix", "watch"],
    ["positions", "watch", "Account"],
  ])("%s %s ends quietly when nobody reads it any more", async (...args) => {
    const installation = new Installation();
    const server = await ScriptedServer.start((response, request) => {
      // Something changes at each reading, so that there is something to print.
      installation.reason = `reading ${server.requests.length}`;
      if (request.path.endsWith("/positions"))
        json(response, 200, [exampleReply("listPositions", { projection: `Account[${server.requests.length}]` })]);
      else if (request.path.endsWith("/gateways"))
        json(response, 200, [exampleReply("listFixGateways", { gatewayName: `G${server.requests.length}` })]);
      else if (request.path.endsWith("/sessions"))
        json(response, 200, [
          exampleReply("listFixSessions", {
            gatewayName: request.path.split("/").at(-2),
            sessionId: `${server.requests.length}`,
          }),
        ]);
      else installation.answer(response, request);
    });
    const environment = { ...CREDENTIALS, TRADING_ADMIN_URL: server.origin };
    const started = start(workplace(), [...args, "--interval", "200ms"], environment, {
      stream: "stdout",
      failure: "EPIPE",
    });
    expect(await started.ended, started.stderr()).toBe(0);
    expect(started.stderr()).not.toMatch(/error|EPIPE/i);
  });

  it("no other file of the command line writes to these streams", () => {
    const folder = join(ROOT, "src/cli");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const writing = files.filter((name) =>
      /process\.std(?:out|err)\.(?:write|end)|console\./.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(writing).toEqual([]);
    expect(files.filter((name) => /\bput\(process\.stdout/.test(readFileSync(join(folder, name), "utf8")))).toEqual([
      "terminal/output.ts",
    ]);
  });
});

/** A drill of an installation that a test holds up; `answer` may answer in its place. */
async function drill(
  answer: (response: ServerResponse, request: SeenRequest, installation: Installation) => boolean,
  broken?: { readonly stream: Stream; readonly failure: Failure },
) {
  const installation = new Installation();
  const server = await ScriptedServer.start((response, request) => {
    if (!answer(response, request, installation)) installation.answer(response, request);
  });
  const started = start(workplace(), ["drill", "--yes"], { ...CREDENTIALS, TRADING_ADMIN_URL: server.origin }, broken);
  return { installation, server, started };
}

describe("D-CLI 10: what a drill has halted it resumes", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("after %s", async (name) => {
    let signalled = false;
    const { installation, started } = await drill((_response, { path }, { reason }) => {
      if (path.includes("/trading/status") && reason !== null && !signalled) {
        signalled = true;
        started.signal(name);
      }
      return false;
    });
    expect(await started.ended).toBe(1);
    expect(installation.reason).toBeNull();
    expect(started.stderr()).toContain(`${name}: the drill ends when trading is resumed`);
  });

  it.each(FAILURES)("with standard error lost by %s", async (failure) => {
    const { installation, started } = await drill(() => false, { stream: "stderr", failure });
    expect(await started.ended).toBe(0);
    expect(installation.reason).toBeNull();
  });

  it("after the gateway was away for a while", async () => {
    let refused = 0;
    const { installation, started } = await drill((response, { path }) => {
      if (!path.includes("/trading/resume") || refused === 3) return false;
      refused += 1;
      json(response, 503, errorBody(503, "no bus"));
      return true;
    });
    expect(await started.ended, started.stderr()).toBe(0);
    expect(installation.reason).toBeNull();
  });

  it("also when the halt came only after its response was lost", async () => {
    const { installation, started } = await drill((response, { path, body }, world) => {
      if (!path.includes("/trading/halt")) return false;
      response.destroy();
      setTimeout(() => {
        world.reason = JSON.parse(body).reason;
      }, 11_500);
      return true;
    });
    expect(await started.ended, started.stderr()).toBe(3);
    expect(installation.reason).toBeNull();
  });

  it("unless it may not: it says last that trading is still halted, and exits with 8", async () => {
    const { installation, started } = await drill((response, { path }) => {
      if (!path.includes("/trading/resume")) return false;
      json(response, 403, errorBody(403, "Missing permission"));
      return true;
    });
    expect(await started.ended).toBe(8);
    expect(installation.reason).toMatch(/^Drill [\da-f]{6}$/);
    expect(started.stderr().trim().split("\n").at(-1)).toMatch(/STILL HALTED system-wide.*Missing permission/);
  });

  it("unless the second person who is needed does not come in time: it does not wait for longer", async () => {
    const { installation, started } = await drill((response, { path }) => {
      if (!path.includes("/trading/resume")) return false;
      const until = new Date(Date.now() + 1_500).toISOString();
      json(response, 403, errorBody(403, refusalWords("resumeTrading", '"desk"', "another user must send it", until)));
      return true;
    });
    expect(await started.ended).toBe(8);
    expect(installation.reason).toMatch(/^Drill [\da-f]{6}$/);
    expect(started.stderr().trim().split("\n").at(-1)).toMatch(
      /STILL HALTED system-wide, or may be: no second person resumed it before \d\d:\d\d:\d\d UTC; read the state/,
    );
  });

  it.each(["bad algo", "Drill"])(
    "unless somebody else halted it meanwhile (%s): that halt stays, and it exits with 8",
    async (reason) => {
      const { installation, started } = await drill((_response, { path }, world) => {
        if (path.includes("/trading/status") && world.reason !== null) world.reason = reason;
        return false;
      });
      expect(await started.ended).toBe(8);
      expect(installation.reason).toBe(reason);
      expect(started.stderr()).toContain(`somebody else halted it meanwhile (${reason})`);
    },
  );
});
