import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { errorBody, json, type ScriptedServer, type SeenRequest } from "../../client/scripted-server.ts";
import { type Ended, requireCommand } from "../command.ts";
import { Workplace } from "../workplace.ts";
import { detailed, environmentOf, fixServer, type ScriptedSession } from "./gateways.ts";

beforeAll(requireCommand);

async function run(server: ScriptedServer, ...args: readonly string[]): Promise<Ended> {
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  return workplace.run(args, "", environmentOf(server));
}

const STOP = /\/sessions\/([^/]+)\/(disable|disconnect|enable)$/;

function sent({ requests }: ScriptedServer): string[] {
  return requests.flatMap(({ path }) => STOP.exec(path)?.[1] ?? []).toSorted();
}

interface Engine {
  readonly server: ScriptedServer;
  /** Stops that were in progress at the same time, at most. */
  most: number;
}

/** A gateway whose sessions are disabled, disconnected and enabled as asked, except where `refuse` answers and returns true; if silent, no read is answered. */
async function engine(
  sessions: readonly ScriptedSession[],
  refuse: (id: string, response: ServerResponse) => boolean | Promise<boolean> = () => false,
  isSilent = false,
): Promise<Engine> {
  const state = new Map(sessions.map((session) => [session.id, session]));
  let inProgress = 0;
  const stop = async (response: ServerResponse, { path }: SeenRequest): Promise<boolean> => {
    const [, id = "", verb] = STOP.exec(path) ?? [];
    if (isSilent && verb === undefined) return true;
    const session = state.get(id);
    if (!session) return false;
    inProgress += 1;
    made.most = Math.max(made.most, inProgress);
    const isRefused = await refuse(id, response);
    inProgress -= 1;
    if (isRefused) return true;
    state.set(id, { ...session, status: verb === "disable" ? "Disabled" : "Disconnected" });
    json(response, 200, detailed(state.get(id) ?? session));
    return true;
  };
  const made: Engine = { server: await fixServer(() => [...state.values()], stop), most: 0 };
  return made;
}

const THREE: readonly ScriptedSession[] = [
  { gateway: "OE1", id: "A" },
  { gateway: "OE1", id: "B", status: "Disconnected" },
  { gateway: "OE1", id: "C", status: "Disabled" },
];

function refusal(status: number): (id: string, response: ServerResponse) => boolean {
  return (id, response) => {
    if (id === "A") json(response, status, errorBody(status, "not now"));
    return id === "A";
  };
}

describe("several sessions in one stop", () => {
  it("each is one request, with a result for each", async () => {
    const { server } = await engine(THREE);
    const { code, stdout } = await run(server, "fix", "disable", "OE1", "A", "B", "-o", "json");
    expect([code, sent(server)]).toEqual([0, ["A", "B"]]);
    expect(JSON.parse(stdout)).toMatchObject([
      { outcome: "done", input: { gateway: "OE1", session: "A" }, state: { status: "Disabled" } },
      { outcome: "done", input: { gateway: "OE1", session: "B" }, state: { status: "Disabled" } },
    ]);
  });

  it("people get a row for each", async () => {
    const { server } = await engine(THREE);
    const { stdout } = await run(server, "fix", "disable", "OE1", "A", "C");
    expect(stdout).toMatch(/^GATEWAY +SESSION +OUTCOME +STATUS +CONFIRMED/m);
    expect(stdout).toMatch(/^OE1 +A +done +Disabled +\S+Z/m);
    expect(stdout).toMatch(/^OE1 +C +done +Disabled/m);
  });

  it("one that is named twice is stopped once, and one alone prints what it did before", async () => {
    const { server } = await engine(THREE);
    const { stdout } = await run(server, "fix", "disconnect", "OE1", "A", "A", "-o", "json");
    expect([sent(server), JSON.parse(stdout)]).toEqual([["A"], expect.objectContaining({ outcome: "done" })]);
  });

  it.each([
    [504, 3, "unknown"],
    [503, 6, "not-sent"],
    [403, 4, "denied"],
    [404, 5, "rejected"],
  ])(
    "D-CLI 16: one that gets %i keeps no other from being sent; the exit code is %i",
    async (status, code, outcome) => {
      const { server } = await engine(THREE, refusal(status));
      const ended = await run(server, "fix", "disable", "OE1", "A", "B", "C", "-o", "json");
      expect([ended.code, sent(server)]).toEqual([code, ["A", "B", "C"]]);
      const outcomes = (JSON.parse(ended.stdout) as { outcome: string }[]).map((result) => result.outcome);
      expect(outcomes).toEqual([outcome, "done", "done"]);
      expect(ended.stderr).toMatch(/disable FIX session A of gateway OE1: .*not now/);
    },
  );

  it("D-CLI 16: the worst decides: unknown before what was refused", async () => {
    const answers: Record<string, number> = { A: 404, B: 504, C: 403 };
    const { server } = await engine(THREE, (id, response) => {
      json(response, answers[id] ?? 200, errorBody(answers[id] ?? 200, "no"));
      return true;
    });
    const ended = await run(server, "fix", "disable", "OE1", "A", "B", "C", "--no-wait");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("1 rejected, 1 unknown, 1 denied: 3 requests");
  });

  it("D-CLI 16: they are sent concurrently, eight at a time, and one without an answer holds up no other", async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ gateway: "OE1", id: `S${index}` }));
    const others = new Set(many.slice(1).map(({ id }) => id));
    let release = (): void => {};
    const allOthers = new Promise<void>((resolve) => {
      release = resolve;
    });
    const made = await engine(many, async (id) => {
      if (id === "S0") await allOthers;
      others.delete(id);
      if (others.size === 0) release();
      return false;
    });
    const { code } = await run(made.server, "fix", "disable", "OE1", "--all", "--no-wait");
    expect({ code, sent: sent(made.server).length }).toEqual({ code: 0, sent: 30 });
    expect(made.most).toBeGreaterThan(1);
    expect(made.most).toBeLessThanOrEqual(8);
  });

  it("D-CLI 16: with --wait each disconnection is proven by its own state before it", async () => {
    const { server } = await engine(THREE);
    const ended = await run(server, "fix", "disconnect", "OE1", "A", "B", "--wait", "500ms", "-o", "json");
    const results = JSON.parse(ended.stdout) as { outcome: string; seenAt: string | null }[];
    expect([ended.code, results.map(({ outcome }) => outcome), sent(server)]).toEqual([
      0,
      ["done", "done"],
      ["A", "B"],
    ]);
    expect(results.map(({ seenAt }) => typeof seenAt)).toEqual(["string", "string"]);
  });

  it("D-CLI 16: stops are sent though the states before them cannot be read, and are not proven", async () => {
    const { server } = await engine(THREE, () => false, true);
    const ended = await run(server, "fix", "disconnect", "OE1", "A", "B", "--wait", "500ms", "-o", "json");
    expect([ended.code, sent(server)]).toEqual([7, ["A", "B"]]);
  });

  it("services are disabled so, too", async () => {
    const { server } = await engine(THREE);
    const ended = await run(server, "services", "disable", "X", "Y", "--no-wait", "-o", "json");
    expect(JSON.parse(ended.stdout)).toMatchObject([{ input: { name: "X" } }, { input: { name: "Y" } }]);
  });
});

describe("D-CLI 16: several sessions are enabled as they are disabled", () => {
  it("each state is shown, and each is one request, with a result for each", async () => {
    const { server } = await engine(THREE.map((session) => ({ ...session, status: "Disabled" })));
    const ended = await run(server, "fix", "enable", "OE1", "A", "C", "A", "--yes", "-o", "json");
    expect([ended.code, sent(server)]).toEqual([0, ["A", "C"]]);
    expect(JSON.parse(ended.stdout)).toMatchObject([
      { outcome: "done", input: { gateway: "OE1", session: "A" } },
      { outcome: "done", input: { gateway: "OE1", session: "C" } },
    ]);
    expect(ended.stderr).toMatch(/^now .*session id: A,[\s\S]*^now .*session id: C,/m);
  });

  it("one that the gateway does not know keeps no other from being enabled; the exit code is that of the worst", async () => {
    const { server } = await engine(THREE);
    const ended = await run(server, "fix", "enable", "OE1", "X", "C", "--yes", "-o", "json");
    expect([ended.code, sent(server)]).toEqual([5, ["C"]]);
    const outcomes = (JSON.parse(ended.stdout) as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["rejected", "done"]);
  });

  it("none is sent where nobody confirms it", async () => {
    const { server } = await engine(THREE);
    const ended = await run(server, "fix", "enable", "OE1", "A", "C", "-o", "json");
    expect([ended.code, sent(server)]).toEqual([6, []]);
    const question = /not sent: there is no terminal to ask for confirmation on; pass --yes/;
    expect(JSON.parse(ended.stdout)).toMatchObject([
      { outcome: "not-sent", message: expect.stringMatching(question) },
      { outcome: "not-sent", message: expect.stringMatching(question) },
    ]);
  });

  it("--curl prints a request for each and sends none", async () => {
    const { server } = await engine(THREE);
    const { stdout } = await run(server, "fix", "enable", "OE1", "A", "C", "--curl");
    expect(stdout.match(/sessions\/[AC]\/enable/g)).toEqual(["sessions/A/enable", "sessions/C/enable"]);
    expect(server.requests).toEqual([]);
  });
});

describe("--all sessions of a gateway", () => {
  it.each([
    ["disable", ["A", "B"]],
    ["disconnect", ["A"]],
  ])("%s: those that it lists now and that can be", async (verb, expected) => {
    const { server } = await engine(THREE);
    expect([(await run(server, "fix", verb, "OE1", "--all")).code, sent(server)]).toEqual([0, expected]);
  });

  it("D-CLI 16: a session that is named like an option is one in the command that takes it back, too", async () => {
    const { server } = await engine([{ gateway: "OE1", id: "--url=https://elsewhere", status: "Connected" }]);
    const { stderr } = await run(server, "fix", "disable", "OE1", "--all");
    expect(stderr).toMatch(/^to take it back: trading-admin fix enable -- OE1 --url=https:\/\/elsewhere$/m);
    await run(server, "fix", "enable", "--yes", "--", "OE1", "--url=https://elsewhere");
    const name = encodeURIComponent("--url=https://elsewhere");
    expect(sent(server)).toEqual([name, name]);
  });

  it("D-CLI 16: disable says how many were disabled already, which stay whose they were, and ends with the command that takes it back", async () => {
    const { server } = await engine([...THREE, { gateway: "OE1", id: "EUR(1)", status: "Connected" }]);
    const { stderr } = await run(server, "fix", "disable", "OE1", "--all");
    expect(stderr).toMatch(/^to take it back: trading-admin fix enable OE1 A B 'EUR\(1\)'$/m);
    expect(stderr).toMatch(/^1 session disabled already, for which nothing is sent$/m);
    const again = await run(server, "fix", "disable", "OE1", "--all");
    expect([again.code, again.stderr]).toEqual([
      0,
      "4 sessions disabled already, for which nothing is sent\ngateway OE1 has no session to disable\n",
    ]);
  });

  it("of a gateway without a connection there is nothing to disconnect, which is said and is not a failure", async () => {
    const { server } = await engine(THREE.slice(1));
    const ended = await run(server, "fix", "disconnect", "OE1", "--all", "-o", "json");
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, []]);
    expect(ended.stderr).toContain("gateway OE1 has no session to disconnect");
  });

  it.each([
    ["a gateway that does not exist", "OE2", 5, /nothing was sent, .*Unknown FIX gateway.*did you mean "OE1"\?/],
    ["an empty name", "", 2, /missing: <gateway>/],
  ])("of %s stops nothing", async (_, gateway, code, words) => {
    const { server } = await engine(THREE);
    const ended = await run(server, "fix", "disable", gateway, "--all");
    expect([ended.code, ended.stderr, sent(server)]).toEqual([code, expect.stringMatching(words), []]);
  });

  it("of a gateway whose list cannot be read stops nothing, and says that nothing was sent", async () => {
    const server = await fixServer(
      () => THREE,
      (response) => {
        json(response, 504, errorBody(504, "late"));
        return true;
      },
    );
    const ended = await run(server, "fix", "disable", "OE1", "--all", "-o", "json");
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([6, expect.objectContaining({ outcome: "not-sent" })]);
  });

  it.each([
    [["fix", "disable", "OE1", "A", "--all"], /name sessions, or --all/],
    [["fix", "disable", "OE1", "A", ""], /<session> is empty; nothing was sent/],
    [["fix", "disable", "OE1", "A", "B", "--input", "-"], /--input is the input of one request/],
    [
      ["fix", "disable", "EUR desk"],
      /missing: <session>; if EUR desk is a session, trading-admin fix session 'EUR desk' finds its gateway; nothing was sent/,
    ],
  ])("wrong usage is 2: %j", async (args, words) => {
    const { server } = await engine(THREE);
    const ended = await run(server, ...args);
    expect([ended.code, ended.stderr, sent(server)]).toEqual([2, expect.stringMatching(words), []]);
  });
});
