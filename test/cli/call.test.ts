import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Ended, requireCommand, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const PASSWORD = "correct horse 7 battery";
const DESK = ["--user", "desk", "--password-file", "password"];

let workplace: Workplace;
let serving: Serving;

beforeAll(async () => {
  requireCommand();
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD);
  workplace.write("password", `${PASSWORD}\n`);
  workplace.write("application.yaml", "server.port: 0\n");
  serving = await workplace.serve("--config", "application.yaml");
});

afterAll(() => workplace.close());

function call(args: readonly string[], input?: string): Promise<Ended> {
  return workplace.run(["call", "--url", serving.url, ...args], input);
}

describe("trading-admin call", () => {
  it("prints the output of an operation as JSON; of a command without output it says on standard error that it was accepted", async () => {
    const halted = await call([...DESK, "haltTrading", '{"reason":"drill"}']);
    const stderr = "haltTrading: accepted by the engine, whose state is the proof\n";
    expect(halted).toEqual({ code: 0, stdout: "", stderr });
    const status = async (): Promise<unknown> => JSON.parse((await call([...DESK, "getTradingStatus"])).stdout);
    await expect.poll(status).toEqual({ projectionPath: "", halted: true, reason: "drill" });
  });

  it("reads the input from standard input for -", async () => {
    const { code, stdout } = await call([...DESK, "getService", "-"], '{"name":"SIM"}');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: "SIM" });
  });

  it("says on standard error that a part had no effect", async () => {
    const input = '{"projectionPath":"Symbol[A]","cancelOrders":true,"reason":"drill"}';
    const { code, stderr } = await call([...DESK, "haltTrading", input]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^trading-admin: warning: cancelOrders/),
    });
  });

  it("says of an input that is nested without end that it is, and sends nothing", async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    const { code, stderr } = await call([...DESK, "haltTrading", "-"], deep);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "trading-admin: the input: is nested too deep; nothing was sent\n",
    });
  });

  it.each([
    [
      "an operation that does not exist",
      [...DESK, "halt"],
      /no operation is called "halt"; did you mean "haltTrading"\?/,
    ],
    ["an input that is not JSON", [...DESK, "haltTrading", "{reason"], /the input: invalid JSON: /],
    ["an input that is not an object", [...DESK, "haltTrading", "[1]"], /must be a JSON object, such as \{/],
    ["nobody's credentials", ["getTradingStatus"], /say who you are: --user with --password-file/],
    ["half of the credentials", ["--token-url", "http://127.0.0.1:1", "haltTrading"], /needs --client-id and /],
    [
      "wrong credentials, and where they are from",
      ["--user", "eve", "--password-file", "password", "haltTrading"],
      /: warning: 401 for user eve \(the command line\), password in password \(the command line\)\n.*was denied: .*401/,
    ],
    ["what the user may not do", [...DESK, "enableService", '{"name":"SIM"}'], /lacks the permission .*403/],
    ["what is not there", [...DESK, "getService", '{"name":"NONE"}'], /Unknown service "NONE" .*404/],
  ])("ends with 1 and says what to do: %s", async (_what, args, problem) => {
    const { code, stdout, stderr } = await call(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(problem);
    expect(stderr).toMatch(/^(?:trading-admin: .*\n)+$/);
    expect(stderr).not.toContain(PASSWORD);
  });

  it("ends with 3 when it is unknown whether a command was applied", async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await call([...DESK, "--url", `http://127.0.0.1:${port}`, "haltTrading"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^trading-admin: haltTrading may have been applied: /);
  });

  it("D-ENG 3: ends with 1 when the command was certainly not sent: TLS to a plain port", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await call([...DESK, "--url", `https://127.0.0.1:${port}`, "haltTrading"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^trading-admin: haltTrading was not applied: /);
  });

  it("ends with 1 for a gateway that is unavailable: nothing was applied", async () => {
    await serving.kill();
    const { code, stderr } = await call([...DESK, "haltTrading"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^trading-admin: haltTrading was not applied: .*ECONNREFUSED/);
  });
});
