import type { ServerResponse } from "node:http";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { accept, errorBody, json, type Script, ScriptedServer, type SeenRequest } from "../client/scripted-server.ts";
import { exampleReply } from "../support/example-reply.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

beforeAll(requireCommand);

/** Stops that leave a state, so that a second one does no harm. */
const STOPS: readonly (readonly string[])[] = [
  ["halt"],
  ["services", "disable", "SIM"],
  ["fix", "disable", "OE1", "A"],
];

/** Commands that go out once: changes, and a stop that would cut the next connection, too. */
const ONCE: readonly (readonly string[])[] = [
  ["resume", "--yes"],
  ["positions", "adjust", "Account[A]/Symbol[B]", "--size", "1", "--yes"],
  ["services", "enable", "SIM", "--yes"],
  ["fix", "enable", "OE1", "A", "--yes"],
  ["fix", "disconnect", "OE1", "A"],
  ["risk", "update", "Account", "--commands", '[{"type":"DELETE","conditions":{"Account":"A"}}]', "--yes"],
];

const READS: readonly (readonly string[])[] = [
  ["trading", "status"],
  ["services", "list"],
  ["positions", "list", "Account"],
  ["risk", "table", "Account"],
];

/** What an address does with what it should serve. */
const FAULTS: Readonly<Record<string, Script>> = {
  "is silent": () => {},
  "breaks the connection": (response) => response.destroy(),
  "responds 504": refusal(504, "late"),
  "responds 503 as a proxy": (response) => response.writeHead(503).end("busy"),
};

function refusal(status: number, message: string): Script {
  return (response) => json(response, status, errorBody(status, message));
}

function isCommand({ method, path }: SeenRequest): boolean {
  return method === "POST" && !path.endsWith("/positions");
}

/** A gateway whose engine shows what it was told; commands are answered as a test says. */
function gateway(command: Script = carriedOut): Script {
  let isDone = false;
  return (response, request, count) => {
    if (!isCommand(request)) return state(response, request, isDone);
    isDone = true;
    return command(response, request, count);
  };
}

const carriedOut: Script = (response, { path }) =>
  path.includes("/fix/") ? json(response, 200, { ...SESSION }) : accept(response);

const SESSION = exampleReply("getFixSession", { gatewayName: "OE1", sessionId: "A", status: "Disabled" });

function state(response: ServerResponse, { path }: SeenRequest, isDone: boolean): void {
  if (path.endsWith("/halts")) json(response, 200, exampleReply("listHalts", { halts: [] }));
  else if (path.includes("/trading/"))
    json(response, 200, { projectionPath: "", halted: isDone, reason: "Trading halted" });
  else if (path.includes("/services/"))
    json(response, 200, exampleReply("getService", { name: "SIM", enabled: !isDone }));
  else if (path.includes("/fix/")) json(response, 200, { ...SESSION, status: isDone ? "Disabled" : "Connected" });
  else json(response, 200, path.includes("/risk/") ? { projection: "Account", rows: [] } : []);
}

async function two(first: Script, second: Script): Promise<readonly [ScriptedServer, ScriptedServer]> {
  return [await ScriptedServer.start(first), await ScriptedServer.start(second)];
}

function run(servers: readonly ScriptedServer[], ...args: readonly string[]): Promise<Ended> {
  const workplace = new Workplace();
  onTestFinished(() => workplace.close());
  const url = servers.map(({ origin }) => origin).join(",");
  return workplace.run(args, "", {
    TRADING_ADMIN_URL: url,
    TRADING_ADMIN_USER: "desk",
    TRADING_ADMIN_PASSWORD: "s3cret",
  });
}

function commandsAt({ requests }: ScriptedServer): number {
  return requests.filter(isCommand).length;
}

describe("D-CLI 11: what may be repeated goes to the next address when the first one does not settle it", () => {
  describe.each(Object.entries(FAULTS))("if the first address %s", (_, fault) => {
    it.each(STOPS)("%s %s is sent to the second as well, which proves it", async (...args) => {
      const servers = await two(fault, gateway());
      const { code, stderr } = await run(servers, ...args);
      expect({ code, sent: servers.map(commandsAt) }).toEqual({ code: 0, sent: [1, 1] });
      expect(stderr).toMatch(
        /^trading-admin: warning: \S+ was passed over, .*; it may still carry out the stop later; trying/m,
      );
    });

    it.each(READS)("%s %s is read from the second", async (...args) => {
      const servers = await two(fault, gateway());
      const { code, stderr } = await run(servers, ...args);
      expect([code, servers.map(({ requests }) => requests.length > 0)]).toEqual([0, [true, true]]);
      expect(stderr).toMatch(/^trading-admin: warning: \S+ was passed over, .*; trying http/m);
    });
  });

  it("a gateway that has no room for a stop passes it on to the next one", async () => {
    const servers = await two(gateway(refusal(429, "full")), gateway());
    const { code, stderr } = await run(servers, "halt");
    expect({ code, sent: servers.map(commandsAt) }).toEqual({ code: 0, sent: [1, 1] });
    expect(stderr).toContain("was passed over, nothing was sent: status 429; trying");
  });

  it.each([
    ["a refusal of the second", refusal(403, "no")],
    ["a second one without engine", refusal(503, "no bus")],
  ])("%s does not say that the first did nothing: exit code 3", async (_, second) => {
    const unhalted =
      (command: Script): Script =>
      (response, request, count) =>
        isCommand(request) ? command(response, request, count) : state(response, request, false);
    const servers = await two(unhalted(refusal(504, "late")), unhalted(second));
    const { code, stderr } = await run(servers, "halt", "--wait", "500ms");
    expect([code, stderr]).toEqual([3, expect.stringMatching(/may have been applied: read the state .*late/)]);
  });

  it.each([404, 403, 400])(
    "a stop goes on from a proxy that says %i itself, as it may reach no gateway",
    async (status) => {
      const proxy: Script = (response) => response.writeHead(status, { "Content-Type": "text/html" }).end("<html>");
      const servers = await two(gateway(proxy), gateway());
      const { code } = await run(servers, "halt");
      expect({ code, sent: servers.map(commandsAt) }).toEqual({ code: 0, sent: [1, 1] });
    },
  );

  it("credentials that are refused are not taken to another gateway, nor is a change that a proxy refuses", async () => {
    const servers = await two(
      gateway((response) => response.writeHead(401).end()),
      gateway(),
    );
    expect((await run(servers, "halt")).code).toBe(4);
    const proxied = await two(
      gateway((response) => response.writeHead(404).end("<html>")),
      gateway(),
    );
    expect((await run(proxied, "resume", "--yes")).code).not.toBe(0);
    expect([...servers, ...proxied].map(commandsAt)).toEqual([1, 0, 1, 0]);
  });

  it("a refusal is not taken to another gateway", async () => {
    const servers = await two(gateway(refusal(403, "no")), gateway());
    expect((await run(servers, "halt")).code).toBe(4);
    expect(servers.map(commandsAt)).toEqual([1, 0]);
  });

  it("D-CLI 27: of three addresses the third serves a stop when the others are silent, without option or question", async () => {
    const servers = [
      ...(await two(
        () => {},
        () => {},
      )),
      await ScriptedServer.start(gateway()),
    ];
    expect((await run(servers, "halt")).code).toBe(0);
    expect(servers.map(commandsAt)).toEqual([1, 1, 1]);
  });
});

describe("D-CLI 11: a change, and a disconnection, go out once", () => {
  it.each(ONCE)("%s %s whose response is lost is not sent to the second address", async (...args) => {
    const servers = await two(
      gateway((response) => response.destroy()),
      (response, request) => state(response, request, false),
    );
    const { code } = await run(servers, ...args);
    expect({ code, sent: servers.map(commandsAt) }).toEqual({ code: 3, sent: [1, 0] });
  });

  it("after a lost response the state is read from the next address first", async () => {
    const servers = await two(
      gateway((response) => response.destroy()),
      (response, request) => state(response, request, false),
    );
    const { code, stdout } = await run(servers, "resume", "--yes", "--wait", "400ms", "-o", "json");
    const [first, second] = servers;
    const afterwards = first.requests.slice(first.requests.findIndex(isCommand) + 1);
    expect([afterwards, second.requests.length > 0]).toEqual([[], true]);
    expect([code, JSON.parse(stdout).outcome]).toEqual([3, "unknown"]);
  });
});
