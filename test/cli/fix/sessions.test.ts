import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { errorBody, json, type ScriptedServer } from "../../client/scripted-server.ts";
import { type Ended, requireCommand } from "../command.ts";
import { linesOnScreen } from "../screen.ts";
import { Workplace } from "../workplace.ts";
import { environmentOf, fixServer, type ScriptedSession } from "./gateways.ts";

beforeAll(requireCommand);

async function run(server: ScriptedServer, ...args: readonly string[]): Promise<Ended> {
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  return workplace.run(args, "", environmentOf(server));
}

const SESSIONS: readonly ScriptedSession[] = [
  { gateway: "OE1", id: "A10", target: "ALPHA", ip: "10.1.1.2", inbound: 7, connectedAt: Date.UTC(2026, 0, 5, 9, 30) },
  { gateway: "OE1", id: "A9", target: "BETA", status: "Disconnected", inbound: 900 },
  { gateway: "MD1", id: "B", target: "ALPHA", ip: "10.1.1.12", port: 5000, connectedAt: Date.UTC(2026, 0, 5, 9, 31) },
  { gateway: "MD1", id: "C", status: "Disabled" },
];

/** Ids in the order in which a list prints them. */
async function ids(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(await fixServer(() => SESSIONS), "fix", "sessions", ...args, "-o", "json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return (JSON.parse(stdout) as { sessionId: string }[]).map(({ sessionId }) => sessionId).join(" ");
}

describe("fix sessions: what FIX support looks for", () => {
  it.each([
    ["by status, in whatever case", ["--status", "disconnected"], "A9"],
    ["by an address, and not by one that begins so", ["--peer", "10.1.1.1"], ""],
    ["by a whole address", ["--peer", "10.1.1.12"], "B"],
    ["by an address with its port", ["--peer", "10.1.1.12:5000"], "B"],
    ["by the beginning of addresses", ["--peer", "10.1.1."], "A10 B"],
    ["by both", ["--status", "Connected", "--peer", "10.1.1.2"], "A10"],
    ["of one gateway", ["MD1", "--status", "Disabled"], "C"],
  ])("is found %s", async (_, args, expected) => expect(await ids(...args)).toBe(expected));

  it.each([
    ["session", "A9 A10 B C"],
    ["status", "A10 B C A9"],
    ["inbound", "A9 A10 B C"],
    ["peer", "A10 B A9 C"],
    ["connected", "B A10 A9 C"],
    ["target", "A10 B A9 C"],
  ])("is sorted by %s: numbers and times from the largest, what has none last", async (column, expected) => {
    expect(await ids("--sort", column)).toBe(expected);
  });

  it("D-CLI 15: a list takes one request for each gateway, and one for the stops; CompIDs and times are read where they are asked for", async () => {
    const server = await fixServer(() => SESSIONS);
    const plain = await run(server, "fix", "sessions");
    expect(server.requests).toHaveLength(4);
    expect(plain.stdout).not.toContain("ALPHA");
    const detailed = await run(server, "fix", "sessions", "--details");
    expect(server.requests).toHaveLength(8 + SESSIONS.length);
    expect(detailed.stdout).toMatch(/^OE1 +A10 +Connected +ENGINE +ALPHA +2026-01-05 +10\.1\.1\.2/m);
  });

  it("has nothing that matters cut at 80 columns: who, status, peer and sequence numbers, with long names", async () => {
    const long = {
      gateway: "VENUES",
      id: "CLIENT1234567890",
      status: "Connected",
      ip: "192.168.100.100",
      port: 65_535,
    } as const;
    const server = await fixServer(() => [
      { ...long, inbound: 1_234_567 },
      { ...long, id: "D", status: "Disconnected" },
    ]);
    const user = { workplace: new Workplace(), environment: environmentOf(server) };
    onTestFinished(() => user.workplace.close());
    const [head = "", ...rows] = await linesOnScreen(user, ["fix", "sessions"]);
    expect(head).toMatch(/^GATEWAY +SESSION +STATUS +PEER +IN SEQ +OUT SEQ/);
    expect(rows[0]).toContain("192.168.100.100:65535");
    expect(Math.max(...[head, ...rows].map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe("D-CLI 15: one gateway or session that cannot be read hides no other", () => {
  it.each([
    ["a reply that was not understood", 500, 1],
    ["an engine that does not know it in time", 504, 1],
    ["a gateway that is gone", 404, 5],
  ])("of all gateways, %s is named, the others are shown, and the exit code is not 0", async (_, status, code) => {
    const server = await fixServer(
      () => SESSIONS,
      (response, { path }) => {
        if (path.endsWith("/MD1/sessions")) json(response, status, errorBody(status, "not today"));
        return path.endsWith("/MD1/sessions");
      },
    );
    const ended = await run(server, "fix", "sessions");
    expect(ended.code).toBe(code);
    expect(ended.stdout).toMatch(/^OE1 +A9 /m);
    expect(ended.stdout).not.toContain("MD1");
    expect(ended.stderr).toMatch(/FIX gateway MD1 is not shown in full: .*not today/);
  });

  it("details that cannot be read leave the session as it is listed; one that went away meanwhile is not a failure", async () => {
    const answers: Record<string, number> = { "/sessions/A9": 500, "/sessions/B": 404 };
    const server = await fixServer(
      () => SESSIONS,
      (response, { path }) => {
        const status = Object.entries(answers).find(([end]) => path.endsWith(end))?.[1];
        if (status !== undefined) json(response, status, errorBody(status, "broken"));
        return status !== undefined;
      },
    );
    const ended = await run(server, "fix", "sessions", "--details", "-o", "json");
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toHaveLength(SESSIONS.length);
    expect(ended.stderr.match(/is not shown in full/g)).toHaveLength(1);
    expect(ended.stderr).toContain("FIX session OE1/A9 is not shown in full");
  });

  it("details that fail again and again are not asked for of a thousand sessions", async () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ gateway: "OE1", id: `S${index}` }));
    const server = await fixServer(
      () => many,
      (response, { path }) => {
        const isDetail = /\/sessions\/S/.test(path);
        if (isDetail) json(response, 500, errorBody(500, "broken"));
        return isDetail;
      },
    );
    const ended = await run(server, "fix", "sessions", "OE1", "--details", "-o", "json");
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([1, expect.objectContaining({ length: 100 })]);
    expect(server.requests.length).toBeLessThan(20);
    expect(ended.stderr).toContain("the details of further sessions were not read");
  });
});

describe("fix session: by a name alone, of whatever gateway", () => {
  it.each([
    ["an id", ["C"], 0, "C"],
    ["a CompID", ["BETA"], 0, "A9"],
    ["gateway and id, as before", ["OE1", "A9"], 0, "A9"],
  ])("%s", async (_, args, code, id) => {
    const ended = await run(await fixServer(() => SESSIONS), "fix", "session", ...args, "-o", "json");
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([code, expect.objectContaining({ sessionId: id })]);
  });

  it("says which there are where several have it, and asks for one", async () => {
    const ended = await run(await fixServer(() => SESSIONS), "fix", "session", "ALPHA");
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(
      /2 FIX sessions have the id or the CompID "ALPHA": OE1\/A10, MD1\/B; name gateway and/,
    );
  });

  it("says that none has it, and what may be meant", async () => {
    const ended = await run(await fixServer(() => SESSIONS), "fix", "session", "A99");
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toMatch(/no FIX session has the id or the CompID "A99"; did you mean "A9"\?/);
  });
});

describe("fix check: for cron", () => {
  it.each([
    ["all are connected", "MD1", "B", 0, ""],
    ["one is not", "OE1", "A10,A9", 1, /^OE1 +A9 +Disconnected$/m],
    ["one is disabled", "MD1", "C, B", 1, /^MD1 +C +Disabled$/m],
    ["one there is not", "OE1", "A10,A11", 1, /^OE1 +A11 +no such session$/m],
  ])("%s", async (_, gateway, expected, code, line) => {
    const ended = await run(await fixServer(() => SESSIONS), "fix", "check", gateway, "--expect", expected);
    expect([ended.code, ended.stdout]).toEqual([code, line === "" ? "" : expect.stringMatching(line)]);
    expect(ended.stdout).not.toMatch(/ (A10|B) +Connected/);
  });

  it.each([
    ["the gateway took the question and did not answer it", 504, 3],
    ["the reply was not understood", 500, 3],
    ["it was not taken", 429, 6],
    ["it was denied", 403, 4],
  ])("nobody can say: %s", async (_, status, code) => {
    const server = await fixServer(
      () => SESSIONS,
      (response) => {
        json(response, status, errorBody(status, "no"), { "Retry-After": "0" });
        return true;
      },
    );
    expect(await run(server, "fix", "check", "OE1", "--expect", "A9")).toMatchObject({ code, stdout: "" });
  });

  it("without --expect it gives a line to type", async () => {
    const server = await fixServer(() => SESSIONS);
    expect(await run(server, "fix", "check", "OE1")).toMatchObject({
      code: 2,
      stderr:
        "trading-admin: required option '--expect <sessions>' not specified, nothing was done; for example: " +
        "trading-admin fix check OE1 --expect CLIENT1,CLIENT2\n",
    });
  });

  it.each(["", "A9,", "A9,,A10"])(
    "a name that is empty (%j) is wrong usage: a variable that is not set",
    async (names) => {
      const server = await fixServer(() => SESSIONS);
      expect(await run(server, "fix", "check", "OE1", "--expect", names)).toMatchObject({ code: 2, stdout: "" });
      expect(server.requests).toEqual([]);
    },
  );
});
