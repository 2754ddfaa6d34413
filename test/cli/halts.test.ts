import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { accept, errorBody, json, type Script, ScriptedServer } from "../client/scripted-server.ts";
import { exampleReply } from "../support/example-reply.ts";
import { sendRaw } from "../support/raw-http.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";
import { linesOnScreen, onScreen } from "./screen.ts";
import { Workplace } from "./workplace.ts";

const HALTED_AT = Date.parse("2026-01-05T09:31:00Z");
const GOLD = { projectionPath: "Account[GOLD]", reason: "bad fills", since: HALTED_AT, by: "alice" };
const LOST = { operation: "haltTrading", target: "", reason: "bad algo", since: HALTED_AT, by: "alice" };
const LACKS = "there may be others, halted through another gateway or at the engine";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterEach(async () => {
  for (const path of ["", "Account[GOLD]", "Account[SILVER]"]) {
    await installation.run("resume", ...(path === "" ? [] : [path]), "--yes");
  }
});

afterAll(() => installation.close());

/** A gateway that lists what a test says; without a list it has no such operation, as an older one. */
function gateway(list: object | undefined, halted = false, headers: Record<string, string> = {}): Script {
  return (response, { path }) => {
    if (path.endsWith("/trading/halts"))
      return list ? json(response, 200, list, headers) : json(response, 404, errorBody(404, "Not found"));
    const { pathname, searchParams } = new URL(path, "http://gateway");
    const projectionPath = searchParams.get("projectionPath") ?? "";
    if (pathname.includes("/trading/"))
      return json(response, 200, { projectionPath, halted, reason: halted ? "all" : null });
    return json(response, 200, []);
  };
}

async function run(script: Script, ...args: readonly string[]): Promise<Ended> {
  const { workplace, environment } = await userOf(script);
  return workplace.run(args, "", environment);
}

async function userOf(script: Script): Promise<Pick<Installation, "workplace" | "environment">> {
  const { origin } = await ScriptedServer.start(script);
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  const environment = { TRADING_ADMIN_URL: origin, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "s3cret" };
  return { workplace, environment };
}

describe("D-CLI 12: trading halts says what is halted, since when and by whom", () => {
  it("of a live installation: the whole system and its nodes, as JSON, YAML, CSV and table", async () => {
    await installation.run("halt", "Account[GOLD]", "--reason", "bad fills");
    await installation.run("halt", "--reason", "stale feed");
    const halts = await installation.json("trading", "halts");
    expect(halts).toEqual([
      { projectionPath: "", reason: "stale feed", since: expect.any(Number), by: "desk" },
      { projectionPath: "Account[GOLD]", reason: "bad fills", since: expect.any(Number), by: "desk" },
    ]);
    const yaml = await installation.run("trading", "halts", "-o", "yaml");
    expect(parse(yaml.stdout)).toEqual(halts);
    const csv = await installation.run("trading", "halts", "-o", "csv");
    expect(csv.stdout).toMatch(
      /^projectionPath,since,by,reason\r\n,\d+,desk,stale feed\r\nAccount\[GOLD\],\d+,desk,bad fills\r\n$/,
    );
    const { code, stdout, stderr } = await installation.run("trading", "halts");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^\(system-wide\) +\d{4}-\S+Z +desk +stale feed\nAccount\[GOLD\] +\d{4}-\S+Z +desk +bad fills$/m,
    );
  });

  it("services show and fix session say who disabled it, when and why; so does the question before an enable or a resume", async () => {
    await installation.run("services", "disable", "SIM", "--reason", "bad fills");
    await installation.run("fix", "disable", "OE1", "FIXCLIENT1");
    const { stdout, stderr } = await installation.run("services", "show", "SIM");
    expect(stdout).toMatch(/^disabled by +desk\ndisabled since +\d{4}-\S+Z\nreason +bad fills$/m);
    expect(stderr).toBe("");
    for (const name of [["OE1", "FIXCLIENT1"], ["FIXCLIENT1"]]) {
      const { stdout: shown } = await installation.run("fix", "session", ...name);
      expect(shown).toMatch(/^disabled by +desk\ndisabled since +\d{4}-\S+Z$/m);
    }
    expect((await installation.run("services", "enable", "SIM")).stderr).toMatch(
      /^now {4}name: SIM, enabled: no.*\nby {5}desk through this gateway, since \d{4}-\S+Z: bad fills\nthen /m,
    );
    await installation.run("halt", "Account[GOLD]", "--reason", "bad fills");
    expect((await installation.run("resume", "Account[GOLD]")).stderr).toMatch(
      /^now .*halted: yes, reason: bad fills\nby {5}desk through this gateway, since \d{4}-\S+Z\nthen /m,
    );
    await installation.run("services", "enable", "SIM", "--yes");
    await installation.run("fix", "enable", "OE1", "FIXCLIENT1", "--yes");
    expect((await installation.run("services", "show", "SIM")).stdout).not.toContain("disabled");
  });

  it("what was repeated is stopped since the first time, and it says who repeated it and why", async () => {
    const at = "\\d\\d:\\d\\d:\\d\\d";
    const SINCE = "\\d{4}-\\S+Z";
    for (const reason of ["first", "second"]) await installation.run("halt", "Account[GOLD]", "--reason", reason);
    const { stdout } = await installation.run("trading", "halts");
    expect(stdout).toMatch(new RegExp(`^Account\\[GOLD\\] +${SINCE} +desk +second +${at} by desk \\(second\\)$`, "m"));
    const csv = (await installation.run("trading", "halts", "--output", "csv")).stdout;
    expect(csv.split("\r\n")[0]).toBe("projectionPath,since,by,reason");
    expect((await installation.run("trading", "check")).stdout).toMatch(
      new RegExp(`^Account\\[GOLD\\] halted since ${SINCE} by desk: second; repeated ${at} by desk \\(second\\)$`, "m"),
    );
    for (const reason of ["runaway", "really"])
      await installation.run("services", "disable", "SIM", "--reason", reason);
    const shown = await installation.run("services", "show", "SIM");
    expect(shown.stdout).toMatch(new RegExp(`^reason +runaway\nrepeated +${at} by desk \\(really\\)$`, "m"));
    const { stderr } = await installation.run("services", "enable", "SIM");
    expect(stderr).toMatch(new RegExp(`: runaway; repeated ${at} by desk \\(really\\)$`, "m"));
    await installation.run("services", "enable", "SIM", "--yes");
  });

  it("of a session it is not said who disabled another whose gateway and id give the same text", async () => {
    const stop = { operation: "disableFixSession", target: "A/B/C", reason: null, since: HALTED_AT };
    const stops = [
      { ...stop, targetFields: { gateway: "A", session: "B/C" }, by: "bob" },
      { ...stop, targetFields: { gateway: "A/B", session: "C" }, by: "alice" },
    ];
    const session = exampleReply("getFixSession", { gatewayName: "A/B", sessionId: "C", status: "Disabled" });
    const script: Script = (response, request, count) =>
      request.path.includes("/fix/")
        ? json(response, 200, session)
        : gateway({ complete: true, halts: [], stops })(response, request, count);
    const { stdout } = await run(script, "fix", "session", "A/B", "C");
    expect(stdout).toMatch(/^disabled by +alice$/m);
  });

  it("of what was disabled elsewhere services show and fix session say that this gateway has no record of it", async () => {
    const { code, stdout, stderr } = await installation.run("fix", "session", "OE1", "LEGACY");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^disabled by +-\ndisabled since +-$/m);
    expect(stderr).toBe(
      "this gateway has no record of who disabled it; those of others: trading-admin audit show FILE... --operation 'fix disable'\n",
    );
  });

  it("is sure that there are no others only where the engine has listed them", async () => {
    expect(await run(gateway({ complete: true, halts: [] }), "trading", "halts")).toMatchObject({
      stdout: "nothing is halted\n",
      stderr: "",
    });
    expect(await run(gateway({ complete: false, halts: [] }), "trading", "halts")).toMatchObject({
      stdout: "nothing is known to be halted\n",
      stderr: `${LACKS}\n`,
    });
  });

  it("has all four columns at 80 characters, however long path and reason are", async () => {
    const projectionPath = "Source[FIXCLIENT1]/Account[GOLD]/Symbol[EUR/USD]";
    const reason = "the client asked for it in the morning, and nobody has called since";
    const list = gateway({ complete: true, halts: [{ ...GOLD, projectionPath, reason }] });
    const [head = "", row = ""] = await linesOnScreen(await userOf(list), ["trading", "halts"]);
    expect(head).toMatch(/^PROJECTION PATH +SINCE +BY +REASON$/);
    expect(row).toMatch(/^Source\[FIXCLIENT1\]\/Account.*… +2026-01-05T09:31:00.* +alice +the client asked.*…$/);
    expect(Math.max(head.length, row.length)).toBeLessThanOrEqual(80);
    const { stdout } = await run(list, "trading", "halts");
    expect(stdout.split("\n")[1], "nothing is cut in a pipe").toMatch(/^\S+\[EUR\/USD\] .* nobody has called since$/);
  });

  it("of a gateway that lists nothing: whether everything is halted, and that nodes are not included", async () => {
    const { code, stdout, stderr } = await run(gateway(undefined, true), "trading", "halts", "-o", "json");
    expect([code, JSON.parse(stdout), stderr]).toEqual([
      0,
      [{ projectionPath: "", reason: "all", since: null, by: null }],
      "nodes halted one by one are not included: this gateway does not list them\n",
    ]);
  });

  it("trading status without a path shows the whole and then the same list; its JSON has both", async () => {
    await installation.run("halt", "Account[SILVER]", "--reason", "bad fills");
    const { stdout } = await installation.run("trading", "status");
    expect(stdout).toMatch(
      /^projection path +\(system-wide\)\nhalted +no\n[\s\S]*\n\nwhat is halted\n\nPROJECTION PATH [\s\S]*^Account\[SILVER\] .*bad fills$/m,
    );
    const quiet = await installation.run("trading", "status", "-o", "json");
    expect(quiet.stderr).toBe("");
    expect(JSON.parse(quiet.stdout)).toMatchObject({
      projectionPath: "",
      halted: false,
      halts: [{ projectionPath: "Account[SILVER]", by: "desk" }],
    });
    const older = await run(gateway(undefined), "trading", "status");
    expect([older.code, older.stderr]).toEqual([
      0,
      expect.stringContaining("nodes halted one by one are not included"),
    ]);
  });
});

describe("D-CLI 12: trading status of a node says since when it and the nodes that hold it are halted, and by whom", () => {
  it("where the gateway knows, whatever the order of the segments", async () => {
    await installation.run("halt", "Account[SILVER]", "--reason", "bad fills");
    const node = "Symbol[AAPL]/Account[SILVER]";
    const { stdout } = await installation.run("trading", "status", node);
    expect(stdout).toMatch(/^PROJECTION PATH +HALTED +REASON +BY +SINCE$/m);
    expect(stdout).toMatch(/^Account\[SILVER\] +yes +bad fills +desk +\d{4}-\S+$/m);
    expect(await installation.json("trading", "status", node)).toMatchObject({
      halted: false,
      since: null,
      by: null,
      ancestors: expect.arrayContaining([
        expect.objectContaining({ halted: true, since: expect.any(Number), by: "desk" }),
      ]),
    });
    await installation.run("halt", "Account[GOLD]/Symbol[AAPL]", "--reason", "drill");
    const same = await installation.json("trading", "status", "Symbol[AAPL]/Account[GOLD]");
    await installation.run("resume", "Account[GOLD]/Symbol[AAPL]", "--yes");
    expect(same).toMatchObject({ halted: true, reason: "drill", since: expect.any(Number), by: "desk" });
  });
});

describe("D-CLI 12: trading check has an exit code for cron", () => {
  it("0 where nothing is halted, else 1 and a line for each", async () => {
    expect((await run(gateway({ complete: true, halts: [] }), "trading", "check")).code).toBe(0);
    const halts = [{ ...GOLD, projectionPath: "", since: null, by: null }, GOLD];
    expect(await run(gateway({ complete: false, halts }), "trading", "check")).toMatchObject({
      code: 1,
      stdout: "all trading halted: bad fills\nAccount[GOLD] halted since 2026-01-05T09:31:00Z by alice: bad fills\n",
    });
    expect((await run(gateway(undefined, true), "trading", "check")).code).toBe(1);
  });

  it.each([
    ["a gateway without its engine", (response) => json(response, 503, errorBody(503, "no bus")), 6],
    ["an engine that does not respond", (response) => json(response, 504, errorBody(504, "late")), 3],
    ["a response that is not from the API", (response) => response.end("<html>"), 3],
    ["credentials that are refused", (response) => response.writeHead(401).end(), 4],
  ] satisfies [string, Script, number][])("of %s nobody can say it: exit code %#", async (_, script, code) => {
    const ended = await run(script, "trading", "check");
    expect([ended.code, ended.stdout, ended.stderr]).toEqual([
      code,
      "",
      expect.stringContaining("nobody can say what is halted"),
    ]);
  });

  it.each(["trading halts", "trading status", "services list", "risk export Account"])(
    "%s without the engine: that nothing could be read, and what to do",
    async (line) => {
      const script: Script = (response) => json(response, 503, errorBody(503, "no bus"), { "Retry-After": "1" });
      const words =
        /^trading-admin: nothing could be read: no bus \(status 503, request id \S+\); try again in 1 s; trading-admin doctor /m;
      expect(await run(script, ...line.split(" "))).toMatchObject({ code: 6, stderr: expect.stringMatching(words) });
    },
  );

  it("6 where no gateway listens", async () => {
    expect((await installation.run("trading", "check", "--url", "http://127.0.0.1:1")).code).toBe(6);
  });
});

describe("D-CLI 12: a resumption names the nodes that stay halted", () => {
  it("of the whole system", async () => {
    for (const args of [
      ["halt", "Account[SILVER]", "--wait"],
      ["halt", "--wait"],
    ]) {
      expect(await installation.run(...args)).toMatchObject({ code: 0 });
    }
    const { code, stderr } = await installation.run("resume", "--yes", "--wait");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("warning: still halted individually: Account[SILVER]\n"),
    ]);
  });

  it("of a node: those below it, and no others", async () => {
    const below = { ...GOLD, projectionPath: "Symbol[AAPL]/Account[GOLD]" };
    const halts = [below, { ...GOLD, projectionPath: "Account[SILVER]" }];
    const script: Script = (response, request, count) =>
      request.method === "POST" ? accept(response) : gateway({ complete: true, halts })(response, request, count);
    const { stderr } = await run(script, "resume", "Account[GOLD]", "--yes");
    expect(stderr).toMatch(/still halted individually: Symbol\[AAPL\]\/Account\[GOLD\]\n$/);
  });
});

describe("D-CLI 12: the question before a resume names what it leaves as it is: halts of nodes, and stops that the engine forgot", () => {
  const list = { complete: false, halts: [GOLD], lost: [LOST] };

  it.each([
    ["of the whole system", [], `stay   halted individually: Account[GOLD]; ${LACKS}\n`],
    ["of another node, whose halts alone concern it", ["Account[SILVER]"], ""],
  ])("%s", async (_, path, stay) => {
    const { code, stderr } = await run(gateway(list), "resume", ...path);
    const lost = "lost   Trading is no longer halted at the engine (halted 2026-01-05 09:31:00 by alice: bad algo)\n";
    expect([code, stderr]).toEqual([6, expect.stringContaining(`${stay}${lost}`)]);
    expect(stderr.includes("stay ")).toBe(stay !== "");
  });
});

describe("what the engine has forgotten is reported wherever somebody looks", () => {
  const list = { complete: false, halts: [], lost: [LOST, { ...LOST, operation: "disableService", target: "SIM" }] };
  const words = "Trading is no longer halted at the engine (halted 2026-01-05 09:31:00 by alice: bad algo)";

  it.each([
    ["trading halts", 0],
    ["trading status", 0],
    ["trading status Account[GOLD]", 0],
    ["trading check", 1],
  ])("by %s, on standard error, with exit code %i", async (line, expected) => {
    const { code, stderr } = await run(gateway(list), ...line.split(" "));
    expect([code, stderr]).toEqual([expected, expect.stringContaining(`warning: ${words}\n`)]);
    expect(stderr).toContain(
      "SIM is no longer disabled at the engine (disabled 2026-01-05 09:31:00 by alice: bad algo)",
    );
  });

  it.each([
    ["services list", "SIM"],
    ["services show SIM", "SIM"],
    ["fix sessions", "OE1/FIXCLIENT1"],
    ["fix sessions OE1", "OE1/FIXCLIENT1"],
    ["fix session FIXCLIENT1", "OE1/FIXCLIENT1"],
  ])("D-CLI 12: by %s, of what it shows alone, in the words of trading halts", async (line, target) => {
    const service = { ...LOST, operation: "disableService", target: "SIM", targetFields: { name: "SIM" } };
    const session = { gateway: "OE1", session: "FIXCLIENT1" };
    const ofSession = { ...LOST, operation: "disableFixSession", target: "OE1/FIXCLIENT1", targetFields: session };
    const lost = [{ ...LOST, targetFields: { projectionPath: "" } }, service, ofSession];
    const forgotten = gateway({ complete: true, halts: [], lost });
    const authorization = `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`;
    const script: Script = async (response, request, count) => {
      if (request.path.endsWith("/trading/halts")) return forgotten(response, request, count);
      const { body } = await sendRaw(installation.serving.url, { path: request.path, authorization });
      return json(response, 200, JSON.parse(body));
    };
    const { code, stderr } = await run(script, ...line.split(" "));
    const words = `${target} is no longer disabled at the engine (disabled 2026-01-05 09:31:00 by alice: bad algo)`;
    expect([code, stderr]).toEqual([0, `trading-admin: warning: ${words}\n`]);
    expect((await run(script, ...line.split(" "), "-o", "json")).stderr).toBe("");
  });

  it("by doctor, as checks that failed", async () => {
    const { code, stdout } = await run(gateway(list), "doctor", "-o", "json");
    const stops = (JSON.parse(stdout) as { check: string; result: string; detail: string }[]).filter(({ check }) =>
      check.startsWith("stops "),
    );
    expect([code, stops.map(({ result }) => result), stops[0]?.detail]).toEqual([1, ["failed", "failed"], words]);
  });

  it("D-CLI 12: trading check names the number of forgotten stops where nothing is halted", async () => {
    expect((await run(gateway({ ...list, complete: true }), "trading", "check")).stdout).toBe(
      "nothing is halted; the engine forgot 2 stops\n",
    );
  });

  it("D-CLI 12: while the gateway has not compared them, nobody says that nothing is halted, nor that all stops are shown", async () => {
    const warning = "1 stop is not checked yet since the engine connected";
    const script = gateway({ complete: true, halts: [] }, false, { "X-Admin-Warning": warning });
    const halts = await run(script, "trading", "halts");
    expect(halts).toMatchObject({ code: 0, stdout: "nothing is known to be halted\n" });
    expect(halts.stderr).toContain(warning);
    const check = await run(script, "trading", "check");
    expect(check).toMatchObject({ code: 3, stdout: "nothing is known to be halted\n" });
    expect(check.stderr).toContain(warning);
    const { stdout } = await run(script, "doctor", "-o", "json");
    const found = JSON.parse(stdout) as { check: string }[];
    expect(found).toContainEqual({ check: expect.stringMatching(/^stops /), result: "warning", detail: warning });
  });

  it("by top, above the lists", async () => {
    const { origin } = await ScriptedServer.start(gateway({ ...list, halts: [GOLD] }));
    const terminal = onScreen(installation, ["top", "--interval", "200ms", "--url", origin]);
    onTestFinished(() => terminal.close());
    const screen = await terminal.until(
      /^1 node HALTED: Account\[GOLD\] *\nTrading is no longer halted at the engine \(halted 2026-01-05 09:31:00 by alice: *\nbad algo\) *\nSIM is /m,
    );
    expect(screen.split("\n")).toHaveLength(24);
  });
});

describe("the same list elsewhere", () => {
  it("top shows nodes as they are halted and resumed, also among its events", async () => {
    const terminal = onScreen(installation, ["top", "--interval", "200ms"]);
    onTestFinished(() => terminal.close());
    await terminal.until(/SERVICES 1-\d+ of 9/);
    await installation.run("halt", "Account[GOLD]", "--reason", "bad fills");
    await terminal.until(
      /^1 node HALTED: Account\[GOLD\][\s\S]*^\S+ Account\[GOLD\]: not halted -> halted: bad fills/m,
    );
    await installation.run("resume", "Account[GOLD]", "--yes", "--wait");
    const screen = await terminal.until(/^\S+ Account\[GOLD\]: halted -> not halted$/m);
    expect(screen).not.toContain("node HALTED");
  });

  it("completion offers the paths of halted nodes", async () => {
    await installation.run("halt", "Account[GOLD]");
    const { stdout } = await installation.run("completion", "candidates", "--", "resume", "Acc");
    expect(stdout).toBe("Account[GOLD]\tpath\nAccount[\tpath\n");
  });
});
