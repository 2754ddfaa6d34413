import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guessing } from "../../src/cli/connection/failure-advice.ts";
import { nodeFetch } from "../../src/cli/connection/node-fetch.ts";
import { ScriptedServer } from "../client/scripted-server.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

function runAt(url: string, ...args: readonly string[]): Promise<Ended> {
  return installation.workplace.run(args, "", { ...installation.environment, TRADING_ADMIN_URL: url });
}

/** A proxy that makes `/` of `%2F`. */
function decodingProxy(): Promise<ScriptedServer> {
  return ScriptedServer.start(async (response, { method, path, headers, body }) => {
    const url = `${installation.serving.url}${path.replaceAll("%2F", "/")}`;
    const { authorization = "" } = headers;
    const init = method === "GET" ? { method } : { method, body };
    const received = await fetch(url, { ...init, headers: { authorization, "content-type": "application/json" } });
    const { status } = received;
    response.writeHead(status, Object.fromEntries(received.headers)).end(await received.text());
  });
}

describe("D-CLI 24: what is wrong with an address is said, and who refused", () => {
  it.each(["/api/admin/v1", "/api/admin/v1/", "/api/admin/v1/trading/halt"])(
    "an address with the path of the API is taken: %s",
    async (path) => {
      expect(await runAt(`${installation.serving.url}${path}`, "services", "list")).toMatchObject({
        code: 0,
        stderr: "",
      });
    },
  );

  it.each([
    [["halt"], 6],
    [["services", "list"], 6],
    [["resume", "--yes"], 6],
  ])("https on a port that speaks plain HTTP, nothing was sent: %j", async (args, code) => {
    const ended = await runAt(installation.serving.url.replace("http:", "https:"), ...args);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(/: no connection; this port does not speak TLS: is it an http:\/\/ address\?/);
    expect(ended.stderr).not.toMatch(/OpenSSL|ssl3_|EPROTO/);
  });

  it("an address at which nothing listens asks whether the gateway runs; where none was given, how to give one", async () => {
    const dead = "http://127.0.0.1:1";
    expect((await runAt(dead, "trading", "status")).stderr).toMatch(/ECONNREFUSED 127.0.0.1:1; nothing listens there/);
    const init = { method: "GET", headers: {} };
    await expect(guessing(nodeFetch())(dead, init)).rejects.toThrow(
      /nothing listens there: .*; no address was given: --url or TRADING_ADMIN_URL names the gateway$/,
    );
  });

  it("a proxy that decodes %2F: the engine is not blamed, and doctor says what is wrong", async () => {
    const { origin } = await decodingProxy();
    const { code, stderr } = await runAt(origin, "fix", "disable", "OE1", "FIX.4.4:A/SUB->B");
    expect(code).toBe(5);
    expect(stderr).toMatch(/refused by the API, .*; a proxy on the way seems to make \/ of %2F: trading-admin doctor/);
    const doctor = await runAt(origin, "doctor");
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/failed +paths http:\/\/\S+ +something on the way decodes %2F/);
  });

  it("doctor says that names with a slash arrive where nothing is in between", async () => {
    expect((await runAt(installation.serving.url, "doctor")).stdout).toMatch(
      /ok +paths .*names with \/ arrive as they are sent/,
    );
  });

  it("what something on the way refuses is not blamed on the engine", async () => {
    const { origin } = await ScriptedServer.start((response) => response.writeHead(404).end("<html>"));
    const { code, stderr } = await runAt(origin, "services", "show", "SIM");
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(/refused by something on the way to the API: /),
    });
  });

  it("a wrong path of the address is not blamed on the engine", async () => {
    const { code, stderr } = await runAt(`${installation.serving.url}/api`, "halt");
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /refused by the server at this address, nothing was changed: .*; the API is below \/api\/admin\/v1/,
      ),
    });
  });

  it("an unknown name is still refused by the engine", async () => {
    expect((await runAt(installation.serving.url, "fix", "session", "OE1", "A/B")).stderr).toMatch(
      /refused by the engine: Unknown/,
    );
  });
});

describe("a password file", () => {
  const login = (text: string): Promise<Ended> => {
    installation.workplace.write("typed", text);
    const { TRADING_ADMIN_PASSWORD: _, ...environment } = installation.environment;
    const args = ["services", "list", "--password-file", "typed"];
    return installation.workplace.run(args, "", environment);
  };

  it.each([
    ["a blank at its end", `${PASSWORD} \n`, 4],
    ["a blank at its beginning", ` ${PASSWORD}`, 4],
    ["an empty line at its end", `${PASSWORD}\n\n`, 2],
    ["a no-break space at its end", `${PASSWORD}\u00a0\n`, 4],
  ])("with %s is refused with a hint", async (_, text, refused) => {
    const { code, stderr } = await login(text);
    expect([code, stderr]).toEqual([
      refused,
      expect.stringContaining("the password in typed begins or ends with white space"),
    ]);
    expect(stderr).not.toContain("horse");
  });

  it("may have a byte order mark and a line end", async () => {
    expect(await login(`\ufeff${PASSWORD}\r\n`)).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("--input", () => {
  const input = (operation: readonly string[], body: unknown): Promise<Ended> => {
    installation.workplace.write("input.json", JSON.stringify(body));
    return runAt(installation.serving.url, ...operation, "--input", "input.json");
  };
  const row = { conditions: { Account: "GOLD" }, limits: { MaxOrderNotional: null } };

  it.each([
    [
      "a list in place of conditions",
      ["risk", "update"],
      { projection: "Account", commands: [{ ...row, type: "UPDATE", conditions: [{}] }] },
      "commands[0].conditions: must be",
    ],
    ["lists of lists", ["risk", "update"], { projection: "Account", commands: [[row]] }, "commands[0]: must be"],
    [
      "an object in place of commands",
      ["risk", "update"],
      { projection: "Account", commands: row },
      "commands: must be",
    ],
    [
      "a row of risk export",
      ["risk", "update"],
      { projection: "Account", commands: [row] },
      "commands[0].type: is required",
    ],
    [
      "an object in place of a size",
      ["positions", "adjust"],
      { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: {} },
      "size: must be",
    ],
    ["a list in place of a path", ["resume"], { projectionPath: ["Account[GOLD]"] }, "projectionPath: must be"],
    [
      "a field that is misspelt, which would resume everything",
      ["resume"],
      { projectionpath: "Account[GOLD]" },
      "projectionpath: unknown field",
    ],
  ])("%s is refused before anything is sent", async (_, operation, body, words) => {
    const { code, stderr } = await input([...operation, "--yes"], body);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(words) });
    expect(stderr).toMatch(/; nothing was sent\n$/);
    expect(stderr).not.toContain("[object Object]");
  });

  it.each([
    [
      ["risk", "update"],
      {
        projection: "Account",
        commands: [
          { ...row, type: "INSERT" },
          { type: "DELETE", conditions: { Account: "PENSION" } },
        ],
      },
      /Account=GOLD MaxOrderNotional: 50000000 \(from Account=\*\) -> unlimited\n +Account=PENSION: row is deleted/,
    ],
    [
      ["positions", "adjust"],
      { projectionPath: "Account[GOLD]/Symbol[AAPL]", size: "-5", relative: true, averageCost: "NaN" },
      /size: 0 -> -5\n +averageCost: - -> NaN/,
    ],
    [["services", "enable"], { name: "SIM" }, /name: SIM/],
    [["resume"], {}, /\(system-wide\), halted: no/],
  ])("a body of the API is shown before it is asked about: %j", async (operation, body, words) => {
    const { code, stderr } = await input(operation, body);
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringMatching(words) });
    expect(stderr).not.toContain("[object Object]");
  });

  it("a stop of another form goes to the API, which refuses it", async () => {
    const { code, stderr } = await input(["halt"], { projectionPath: { Account: "GOLD" } });
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('at {"Account":"GOLD"}: refused by the API'),
    });
  });
});
