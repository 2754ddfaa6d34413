import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { accept, errorBody, json, type Script, ScriptedServer, type SeenRequest } from "../client/scripted-server.ts";
import { exampleReply } from "../support/example-reply.ts";
import { EVERYTHING } from "../support/extent.ts";
import { freePort } from "../support/ports.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

beforeAll(requireCommand);

const CREDENTIALS = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };

/** Commands that change something, none of which asks. */
const ALL_COMMANDS: readonly (readonly string[])[] = [
  ["halt", "--no-wait"],
  ["services", "disable", "SIM", "--no-wait"],
  ["fix", "disable", "OE1", "A", "--no-wait"],
  ["fix", "disconnect", "OE1", "A", "--no-wait"],
  ["resume", "--yes", "--no-wait"],
  ["services", "enable", "SIM", "--yes", "--no-wait"],
  ["fix", "enable", "OE1", "A", "--yes", "--no-wait"],
  ["positions", "adjust", "Account[A]/Symbol[B]", "--size", "1", "--yes", "--no-wait"],
  ["risk", "update", "Account", "--commands", '[{"type":"DELETE","conditions":{"Account":"A"}}]', "--yes", "--no-wait"],
];

/** They go one way; `npm test` tries a stop and a change. */
const COMMANDS = EVERYTHING
  ? ALL_COMMANDS
  : ALL_COMMANDS.filter(([first]) => first === "halt" || first === "positions");

function workplace(): Workplace {
  const opened = new Workplace();
  onTestFinished(() => opened.close());
  return opened;
}

function run(url: string, args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  return workplace().run(args, "", { ...CREDENTIALS, TRADING_ADMIN_URL: url, ...more });
}

function isCommand({ method, path }: SeenRequest): boolean {
  return method === "POST" && !path.endsWith("/positions");
}

/** Reads show an empty installation; commands are answered as a test says. */
function answering(command: Script): Script {
  return (response, request, count) =>
    isCommand(request) ? command(response, request, count) : emptyState(response, request);
}

function emptyState(response: ServerResponse, { path }: SeenRequest): void {
  const found = Object.keys(EMPTY).find((part) => path.includes(part));
  json(response, 200, EMPTY[found ?? ""] ?? {});
}

const EMPTY: Readonly<Record<string, object>> = {
  "/trading/halts": exampleReply("listHalts", { halts: [] }),
  "/trading/": { projectionPath: "", halted: false, reason: null },
  "/positions": [],
  "/risk/": { projection: "Account", rows: [] },
  "/fix/": exampleReply("getFixSession", { gatewayName: "OE1", sessionId: "A", status: "Connected" }),
  "/services/": exampleReply("getService", { name: "SIM", enabled: true }),
};

/** Faults that a caller can see, with the exit code, the outcome and the words of each. */
const FAULTS: readonly (readonly [string, Script, number, string, RegExp])[] = [
  ["401", (response) => response.writeHead(401).end(), 4, "denied", /denied, nothing was sent/],
  ["403", refusal(403, "Missing permission X"), 4, "denied", /denied, nothing was sent.*Missing permission X/],
  [
    "400 of the engine",
    refusal(400, "limit too high"),
    5,
    "rejected",
    /refused by the engine, nothing was changed: limit too high/,
  ],
  ["404", refusal(404, "Unknown service"), 5, "rejected", /refused by the engine/],
  ["408", refusal(408, "too slow"), 6, "not-sent", /: not sent: too slow/],
  ["429", refusal(429, "overloaded"), 6, "not-sent", /: not sent: overloaded/],
  ["503", refusal(503, "no bus"), 6, "not-sent", /: not sent: no bus/],
  [
    "503 of a proxy",
    (response) => response.writeHead(503).end("busy"),
    3,
    "unknown",
    /may have been applied: read the state/,
  ],
  [
    "504",
    refusal(504, "no response in 10 s"),
    3,
    "unknown",
    /may have been applied: read the state before you repeat it/,
  ],
  ["500", refusal(500, "oops"), 3, "unknown", /may have been applied/],
  [
    "D-ENG 16: 500 with the word of the API that nothing was applied",
    refusal(500, "cannot be recorded", "not-applied"),
    6,
    "not-sent",
    /: not sent: cannot be recorded \(status 500/,
  ],
  [
    "D-ENG 16: 500 with the word of the API that nobody knows",
    refusal(500, "the engine failed", "unknown"),
    3,
    "unknown",
    /may have been applied/,
  ],
  ["a connection that breaks", (response) => response.destroy(), 3, "unknown", /may have been applied/],
  [
    "a response that is cut off",
    (response) => response.writeHead(200, { "Content-Length": "9" }).write("{", () => response.destroy()),
    3,
    "unknown",
    /may have been applied/,
  ],
  [
    "D-CLI 29: a response without an end",
    endless,
    3,
    "unknown",
    /may have been applied.*longer than 67,108,864 characters/,
  ],
  ["a response that is not from the API", (response) => response.end("<html>"), 3, "unknown", /may have been applied/],
];

function refusal(status: number, message: string, outcome?: string): Script {
  const headers: Record<string, string> = outcome === undefined ? {} : { "X-Admin-Outcome": outcome };
  return (response) => json(response, status, errorBody(status, message), headers);
}

/** Sends until the other end has enough. */
function endless(response: ServerResponse): void {
  const piece = "[".repeat(1024 * 1024);
  const send = (): void => void response.write(piece, (error) => error ?? setImmediate(send));
  response.writeHead(200, { "Content-Type": "application/json" });
  send();
}

it("a halt that may have been applied says why the state could not be read, and what to do next", async () => {
  const { origin } = await ScriptedServer.start((response, request, count) =>
    refusal(504, isCommand(request) ? "no response in 10 s" : "the read came too late")(response, request, count),
  );
  const { code, stderr } = await run(origin, ["halt", "Account[A]", "--wait", "1s"]);
  expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
    3,
    expect.stringMatching(/the state could not be read: .*the read came too late.*; sending it again does no harm/),
  ]);
});

describe("D-CLI 29: of a response so much is read as any of a gateway has", () => {
  it("a read of one without an end fails, with its length", async () => {
    const { origin } = await ScriptedServer.start(endless);
    const { code, stdout, stderr } = await run(origin, ["services", "list"]);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/longer than 67,108,864 characters/)]);
  });

  it("100,000 positions with long names are listed", async () => {
    const row = exampleReply("listPositions", { Account: "A".repeat(64), Symbol: "S".repeat(64) });
    const { origin } = await ScriptedServer.start((response) => json(response, 200, new Array(100_000).fill(row)));
    const { code, stdout } = await run(origin, ["positions", "list", "Account/Symbol", "-o", "csv"]);
    expect([code, stdout.split("\n").length]).toEqual([0, 100_002]);
  });
});

/** States that are JSON, and nothing that a gateway shows. */
const STRANGE_STATES: readonly (readonly [string, unknown])[] = [
  ["objects for texts", { halted: "yes", status: { toString: 1 }, reason: { toString: null }, name: { valueOf: 1 } }],
  ["a list of nulls", [null]],
  ["rows without fields", [{ projection: null }]],
  ["nothing for rows", { rows: [null] }],
];

describe("D-CLI 29: whatever is shown for the state, what happened to a command is reported", () => {
  it.each(STRANGE_STATES)("%s", async (_, state) => {
    const lost = await ScriptedServer.start((response, request) =>
      isCommand(request) ? response.end("<html>") : json(response, 200, state as object),
    );
    const accepted = await ScriptedServer.start((response, request) =>
      isCommand(request) ? accept(response) : json(response, 200, state as object),
    );
    for (const args of [
      ["halt", "Account[A]"],
      ["services", "disable", "SIM"],
    ]) {
      const unknown = await run(lost.origin, [...args, "--wait", "1s"]);
      expect([args, unknown.code]).toEqual([args, 3]);
      expect(unknown.stderr).toMatch(/may have been applied: read the state before you repeat it/);
      expect(unknown.stderr).toMatch(/; sending it again does no harm, otherwise stop it at the engine$/m);
      expect([args, (await run(accepted.origin, [...args, "--wait", "1s"])).code]).toEqual([args, 7]);
    }
  });
});

describe("exit codes: what happened to a command, in every lane", () => {
  it.each(FAULTS)("%s", async (_, script, code, outcome, words) => {
    const server = await ScriptedServer.start(answering(script));
    for (const args of COMMANDS) {
      const ended = await run(server.origin, [...args, "--output", "json"]);
      expect([args, ended.code, ended.stderr]).toEqual([args, code, expect.stringMatching(words)]);
      expect(JSON.parse(ended.stdout)).toMatchObject({ outcome, acceptedAt: null, seenAt: null });
    }
    const sent = server.requests.filter(isCommand).map(({ path }) => path);
    expect(sent).toHaveLength(COMMANDS.length);
  });

  it("D-CLI 8: applied though the status is 500: 0, and the message says that it must not be repeated", async () => {
    const server = await ScriptedServer.start(answering(refusal(500, "could not be recorded", "applied")));
    for (const args of COMMANDS) {
      const { code, stdout, stderr } = await run(server.origin, [...args, "--output", "json"]);
      expect([args, code, stderr]).toEqual([
        args,
        0,
        expect.stringMatching(/: applied, do not repeat it: could not be recorded \(status 500, request id /),
      ]);
      expect(JSON.parse(stdout)).toMatchObject({
        outcome: "done",
        message: expect.stringMatching(/; but: could not be recorded$/),
        acceptedAt: expect.any(String),
      });
    }
    expect(server.requests.filter(isCommand)).toHaveLength(COMMANDS.length);
    const called = await run(server.origin, ["call", "resumeTrading"]);
    expect(called).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/resumeTrading was applied, but .*recorded/),
    });
  });

  it("no connection is 6, not sent", async () => {
    const server = await ScriptedServer.start(() => {});
    await server.stop();
    for (const args of COMMANDS) {
      const { code, stderr } = await run(server.origin, args);
      expect([args, code, stderr]).toEqual([args, 6, expect.stringMatching(/: not sent: .*ECONNREFUSED/)]);
    }
  });

  it("TLS to a plain port and an unknown host are 6, not sent", async () => {
    const server = await ScriptedServer.start(() => {});
    for (const url of [server.origin.replace("http:", "https:"), "https://no-such-host.invalid"]) {
      const { code, stderr } = await run(url, ["halt"]);
      expect([url, code, stderr]).toEqual([url, 6, expect.stringMatching(/halt trading system-wide: not sent: /)]);
    }
    expect(server.requests).toEqual([]);
  });

  it("reads are 0 done, 1 failed, 4 denied, 5 not found, 6 not sent", async () => {
    const codes: [Script, number][] = [
      [(response) => json(response, 200, []), 0],
      [refusal(504, "no response"), 1],
      [refusal(403, "no"), 4],
      [refusal(404, "Unknown"), 5],
      [(response) => json(response, 503, errorBody(503, "no bus"), { "Retry-After": "0" }), 6],
    ];
    for (const [script, code] of codes) {
      const server = await ScriptedServer.start(script);
      expect((await run(server.origin, ["services", "list"])).code).toBe(code);
    }
  });

  it.each([
    [
      ["halt", "--reasn", "x"],
      /^trading-admin: unknown option '--reasn', nothing was done; did you mean --reason\?\n$/,
    ],
    [["hallt"], /^trading-admin: unknown command "hallt", nothing was done; did you mean "halt"\?\n$/],
    [["services", "lst"], /unknown command "services lst", nothing was done; did you mean "services list"\?/],
    [["services", "show"], /missing: <service>/],
    [["halt", "--output", "xml"], /Allowed choices are table, wide, json, yaml, csv/],
    [["risk", "update", "Account", "--commands", "{"], /--commands: invalid JSON/],
    [["positions", "adjust", "Account[A]", "--yes"], /missing: --size/],
    [
      ["positions", "adjust", "Account[A]", "--size", "1e3"],
      /size: must be a decimal such as "12\.5", is "1e3"; nothing/,
    ],
    [["positions", "adjust", "Account[A]", "--size", "1", "--expect", "none", "--yes"], /expect: must be a decimal/],
    [
      ["positions", "adjust", "Account", "--size", "1", "--yes"],
      /"Account" is not a projection path: .*; nothing was sent/,
    ],
    [["halt", "--url", "ftp://a"], /the address "ftp:\/\/a" is not an http or https URL/],
    [["halt", "--url", "http://desk:s3cret@a"], /must not hold a user and a password/],
    [["services"], /Usage: trading-admin services/],
  ])("wrong usage is 2: %j", async (args, words) => {
    const server = await ScriptedServer.start((response) => json(response, 200, {}));
    const { code, stdout, stderr } = await run(server.origin, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain("s3cret");
    expect(server.requests).toEqual([]);
  });
});

describe("D-CLI 32: what nothing says is not claimed", () => {
  it("a 200 without content and without X-Admin-Outcome, which nothing that was read confirms, is 7", async () => {
    const server = await ScriptedServer.start(answering((response) => response.end()));
    for (const args of COMMANDS.filter(([first]) => first === "halt" || first === "positions")) {
      const { code, stdout, stderr } = await run(server.origin, [...args, "-o", "json"]);
      expect([args, code, JSON.parse(stdout)]).toMatchObject([args, 7, { outcome: "not-proven" }]);
      expect(stderr).toMatch(
        /: status 200 without X-Admin-Outcome: nothing says that the engine accepted it; read the/,
      );
    }
    const called = await run(server.origin, ["call", "resumeTrading"]);
    expect(called).toMatchObject({ code: 7, stderr: expect.stringMatching(/200 without X-Admin-Outcome/) });
  });

  it("a 200 that contradicts itself is 3, and a stop is tried at the next address", async () => {
    const contradicting = answering((response) => response.writeHead(200, { "X-Admin-Outcome": "not-applied" }).end());
    const [first, second] = [await ScriptedServer.start(contradicting), await ScriptedServer.start(accept)];
    for (const args of COMMANDS) {
      const { code, stderr } = await run(first.origin, args);
      expect([args, code, stderr]).toEqual([args, 3, expect.stringMatching(/may have been applied/)]);
    }
    expect((await run(`${first.origin},${second.origin}`, ["halt", "--no-wait"])).code).toBe(0);
    expect(second.requests).toHaveLength(1);
  });

  it.each([
    ["halt", { projectionPath: "Account[X]", halted: true, reason: "Trading halted" }, "projectionPath"],
    ["services disable SIM", exampleReply("getService", { name: "SIM2", enabled: false }), "name"],
    [
      "fix disable OE1 A",
      exampleReply("getFixSession", { gatewayName: "OE2", sessionId: "A", status: "Disabled" }),
      "gatewayName",
    ],
  ])("%s is not proven by the state of something else", async (words, state, field) => {
    const own = exampleReply("getFixSession", { gatewayName: "OE1", sessionId: "A", status: "Disabled" });
    const server = await ScriptedServer.start((response, request) => {
      if (!isCommand(request)) return json(response, 200, state);
      return request.path.includes("/fix/") ? json(response, 200, own) : accept(response);
    });
    const { code, stderr } = await run(server.origin, [...words.split(" "), "--wait", "1s"]);
    expect([code, stderr]).toEqual([7, expect.stringMatching(`accepted, but not proven: .*is about ${field} "`)]);
  });
});

describe("halt and prove", () => {
  it("a gateway that dies between halt and proof is 7, accepted but not proven", async () => {
    const server = await ScriptedServer.start(answering((response) => response.end(() => void server.stop())));
    const { code, stdout, stderr } = await run(server.origin, ["halt", "--wait", "700ms", "-o", "json"]);
    expect(code).toBe(7);
    expect(stderr).toMatch(
      /accepted, but not proven: the engine did not show it within 700 ms: .*ECONNREFUSED.*read the state/,
    );
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "not-proven", acceptedAt: expect.any(String), seenAt: null });
  });

  it("D-CLI 2: an engine that does not show the halt is 7, with the state seen last", async () => {
    const server = await ScriptedServer.start(answering(accept));
    const { code, stdout } = await run(server.origin, ["halt", "--wait", "500ms", "-o", "json"]);
    expect(code).toBe(7);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "not-proven", state: { halted: false } });
    expect(server.requests.filter(isCommand)).toHaveLength(1);
  });

  it("D-CLI 3: a halt whose response is lost is done when the engine shows it, and unknown when it does not", async () => {
    let [halted, reason] = [false, null as string | null];
    const server = await ScriptedServer.start((response, request) => {
      if (!isCommand(request)) return json(response, 200, { projectionPath: "", halted, reason });
      [halted, reason] = request.body.includes("works") ? [true, "works"] : [false, null];
      response.destroy();
    });
    const shown = await run(server.origin, ["halt", "--reason", "works", "-o", "json"]);
    expect([shown.code, JSON.parse(shown.stdout)]).toEqual([
      0,
      expect.objectContaining({ outcome: "done", acceptedAt: null, seenAt: expect.any(String) }),
    ]);
    expect(shown.stderr).toMatch(/may have been applied: .*; reading the state now/);
    const lost = await run(server.origin, ["halt", "--reason", "lost", "--wait", "500ms", "-o", "json"]);
    expect([lost.code, JSON.parse(lost.stdout)]).toEqual([
      3,
      expect.objectContaining({ outcome: "unknown", state: expect.objectContaining({ halted: false }) }),
    ]);
    expect(server.requests.filter(isCommand)).toHaveLength(2);
  });
});

/** Never answers a command; what is read before it and after it. */
async function lostWith(args: readonly string[], before: object, after: object): Promise<Ended> {
  let isAsked = false;
  const server = await ScriptedServer.start((response, request) => {
    isAsked ||= isCommand(request);
    if (isCommand(request)) response.destroy();
    else json(response, 200, isAsked ? after : before);
  });
  return run(server.origin, [...args, "--wait", "500ms", "-o", "json"]);
}

const ADJUST_1 = ["positions", "adjust", "Account[A]/Symbol[B]", "--size", "1", "--yes"];
const DELETE_A = [
  "risk",
  "update",
  "Account",
  "--commands",
  '[{"type":"DELETE","conditions":{"Account":"A"}}]',
  "--yes",
];

/** A position without values. */
const POSITION = {
  projection: "Account[A]/Symbol[B]",
  account: "A",
  symbol: "B",
  averageCost: null,
  realizedPnL: null,
  unrealizedPnL: null,
  marketValue: null,
  totalCommission: null,
  openBuySize: "0",
  openSellSize: "0",
};

describe("D-CLI 3: a command without a response is done only where the engine shows what it did not show before", () => {
  const status = (halted: boolean, reason: string | null): object => ({ projectionPath: "", halted, reason });
  const service = (enabled: boolean): object => exampleReply("getService", { name: "SIM", enabled });
  const sized = (size: string): object => ({ ...POSITION, size });
  const limits = (...all: readonly string[]): object => ({
    projection: "Account",
    rows: [
      ...all.map((Max) => ({ conditions: { Account: "A" }, limits: { Max } })),
      { conditions: { Account: "*" }, limits: { Max: "1" } },
    ],
  });

  it.each([
    ["a halt of what was not halted", ["halt"], status(false, null), status(true, "Trading halted"), 0],
    ["a halt for another reason", ["halt", "--reason", "B"], status(true, "A"), status(true, "B"), 0],
    ["a halt of what was halted", ["halt"], status(true, "A"), status(true, "A"), 3],
    ["a halt whose reason is not shown", ["halt", "--reason", "B"], status(true, "A"), status(true, "A"), 3],
    ["a halt, where somebody else's shows", ["halt", "--reason", "B"], status(false, null), status(true, "A"), 3],
    ["cancellations, which nothing shows", ["halt", "--cancel-orders"], status(false, null), status(true, "x"), 3],
    ["a service that was enabled", ["services", "disable", "SIM"], service(true), service(false), 0],
    ["a service that was disabled", ["services", "disable", "SIM"], service(false), service(false), 3],
    ["a resumption of what was halted", ["resume", "--yes"], status(true, "A"), status(false, "r"), 0],
    ["a resumption of what was running", ["resume", "--yes"], status(false, "r"), status(false, "r"), 3],
    ["an adjustment of another size", ADJUST_1, [sized("5")], [sized("1")], 0],
    ["an adjustment to the size that it had", ADJUST_1, [sized("1")], [sized("1")], 3],
    ["a deletion of a limit that was there", DELETE_A, limits("1"), limits(), 0],
    ["a deletion of a limit that was not there", DELETE_A, limits(), limits(), 3],
  ])("%s", async (_, args, before, after, code) => {
    const ended = await lostWith(args, before, after);
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([
      code,
      expect.objectContaining({ outcome: code === 0 ? "done" : "unknown" }),
    ]);
  });
});

const carriedOut: Script = (response, { path }) =>
  path.includes("/fix/") ? json(response, 200, EMPTY["/fix/"] ?? {}) : accept(response);

describe("what people type", () => {
  it("every stop accepts --yes, which changes nothing", async () => {
    const stops = ALL_COMMANDS.filter((args) => !args.includes("--yes"));
    expect(stops).toHaveLength(4);
    for (const args of stops) {
      const server = await ScriptedServer.start(answering(carriedOut));
      const { code, stderr } = await run(server.origin, [...args, "--yes"]);
      expect({ args, code, stderr, sent: server.requests.filter(isCommand).length }).toEqual({
        args,
        code: 0,
        stderr: "",
        sent: 1,
      });
    }
  });

  it.each([
    [["resume", "", "--yes"], 2, /<path> is empty; leave it out for system-wide; nothing was sent/],
    [["trading", "resume", "", "--yes"], 2, /<path> is empty/],
    [["positions", "adjust", "", "--size", "1", "--yes"], 2, /<path> is empty; the root is adjusted with --input/],
    [["services", "enable", "", "--yes"], 2, /<service> is empty; nothing was sent/],
    [["services", "disable", ""], 2, /<service> is empty; nothing was sent/],
    [["fix", "disable", "OE1", ""], 2, /<session> is empty; nothing was sent/],
    [["halt", "", "--no-wait"], 0, /warning: <path> is empty: this stops everything/],
  ])("an argument that is empty: %j", async (args, code, words) => {
    const server = await ScriptedServer.start(answering(carriedOut));
    const ended = await run(server.origin, args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(words)]);
    expect(server.requests.filter(isCommand)).toHaveLength(code === 0 ? 1 : 0);
  });

  it.each([
    ["halt", "Account[*]", "--no-wait"],
    ["resume", "Account[GOLD]/Symbol[*]", "--yes", "--no-wait"],
    ["trading", "status", "Account[GOLD*]"],
    ["drill", "Account[*]"],
    ["call", "haltTrading", '{"projectionPath":"Account[*]"}'],
  ])("D-CLI 21: a path has no wildcards, and it is said: %s %s", async (...args) => {
    const server = await ScriptedServer.start(answering(carriedOut));
    expect((await run(server.origin, args)).stderr).toContain("warning: a path has no wildcards: Account");
    if (args[0] === "halt") expect(server.requests.filter(isCommand)).toHaveLength(1);
  });

  it("fix enable says that it takes no reason", async () => {
    const { code, stderr } = await run("http://127.0.0.1:1", ["fix", "enable", "OE1", "A", "--reason", "bad fills"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "trading-admin: enable takes no reason; leave --reason out, nothing was done\n",
    });
  });

  it.each(["disable", "disconnect"])(
    "D-CLI 21: fix %s is sent though it takes no reason, which is said",
    async (verb) => {
      const server = await ScriptedServer.start(answering(carriedOut));
      const { code, stderr } = await run(server.origin, [
        "fix",
        verb,
        "OE1",
        "A",
        "--reason",
        "bad fills",
        "--no-wait",
      ]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: `trading-admin: warning: ${verb} takes no reason: --reason is recorded nowhere\n`,
      });
      expect(server.requests.filter(isCommand)).toHaveLength(1);
    },
  );

  it("an adjustment takes NaN where it stops tracking, and nowhere else", async () => {
    const server = await ScriptedServer.start(answering(accept));
    const adjust = ["positions", "adjust", "Account[A]/Symbol[B]", "--yes", "--no-wait", "--size"];
    for (const field of ["--average-cost", "--realized-pnl"]) {
      expect(await run(server.origin, [...adjust, "1", field, "NaN"])).toMatchObject({ code: 0 });
    }
    expect(server.requests.filter(isCommand).map(({ body }) => JSON.parse(body))).toMatchObject([
      { averageCost: "NaN" },
      { realizedPnL: "NaN" },
    ]);
    const refused = await run(server.origin, [...adjust, "NaN"]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('size: must be a decimal such as "12.5"'),
    ]);
  });
});

describe("D-CLI 5: several addresses of an installation: the next one is tried only when nothing was sent", () => {
  it("if the first is gone, the halt goes to the second, once, and the command says so", async () => {
    const [gone, second] = [`http://127.0.0.1:${await freePort()}`, await ScriptedServer.start(accept)];
    const { code, stderr } = await run(`${gone},${second.origin}`, ["halt", "--no-wait"]);
    expect({ code, requests: second.requests.length }).toEqual({ code: 0, requests: 1 });
    expect(stderr).toMatch(/warning: .* was passed over, nothing was sent: .*ECONNREFUSED.*; trying http/);
  });

  it("if the engine of the first is away (503 of the API), the second is tried", async () => {
    const [first, second] = [await ScriptedServer.start(refusal(503, "no bus")), await ScriptedServer.start(accept)];
    expect((await run(`${first.origin},${second.origin}`, ["halt", "--no-wait"])).code).toBe(0);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it.each([
    ["a connection that breaks after sending", (response: ServerResponse) => response.destroy(), 3],
    ["503 of a proxy", (response: ServerResponse) => response.writeHead(503).end("busy"), 3],
    ["504", refusal(504, "late"), 3],
    ["a refusal", refusal(403, "no"), 4],
  ])("after %s the second is not tried with a change", async (_, script, code) => {
    const [first, second] = [
      await ScriptedServer.start(answering(script)),
      await ScriptedServer.start(answering(accept)),
    ];
    const args = ["services", "enable", "SIM", "--yes", "--no-wait"];
    expect((await run(`${first.origin},${second.origin}`, args)).code).toBe(code);
    expect(second.requests).toEqual([]);
  });
});
