import { createServer, type Server } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fixPortLine } from "../../src/cli/terminal/messages.ts";
import { FixClient } from "../support/fix-client.ts";
import { requireCommand, type Serving } from "./command.ts";
import { Workplace } from "./workplace.ts";

const LINE = /^ {2}fix OE1 {9}127\.0\.0\.1:([1-9]\d*)\n/m;

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.writeUser("desk", "correct horse 7 battery");
});

afterEach(() => workplace.close());

function fixPort({ stdout }: Serving): number {
  return Number(LINE.exec(stdout)?.[1]);
}

function serve(...lines: readonly string[]): Promise<Serving> {
  workplace.write("application.yaml", ["server.port: 0", ...lines].join("\n"));
  return workplace.serve("--config", "application.yaml");
}

/** Holds a port as soon as no other test has it; a program that keeps it longer than any test holds it as well. */
async function hold(port: number): Promise<Server> {
  const server = createServer();
  for (let tries = 0; tries < 100 && !(await listens(server, port)); tries += 1) await setTimeout(100);
  return server;
}

function listens(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
}

describe("D-ENG 39: FIX ports of the simulated engine", () => {
  it("are opened by serve where the settings ask for them, told in a line each, and log clients out at the end", async () => {
    const serving = await serve("admin.engine.fix-port: 0");
    const client = await FixClient.logOn(fixPort(serving), "FIXCLIENT2");
    const stopped = serving.stop("SIGTERM");
    expect((await client.expect("5"))[58]).toBe("The engine is being stopped");
    client.send("5");
    await client.expectEnd();
    client.close();
    expect(await stopped).toBe(0);
  });

  it("have an indented line each, as whatever else a program says when it is ready, with its address behind the longest name", () => {
    expect(fixPortLine({ gateway: "ORDER-ENTRY-LONDON", host: "::1", port: 9880 })).toBe(
      "  fix ORDER-ENTRY-LONDON  [::1]:9880",
    );
  });

  it("are not opened by serve with a configuration that does not ask for them", async () => {
    expect((await serve()).stdout).not.toMatch(/^ +fix /m);
  });

  it("are opened by the command engine", async () => {
    const serving = await workplace.engine("--listen", "ws://127.0.0.1:0", "--fix-port", "0");
    const client = await FixClient.logOn(fixPort(serving));
    client.close();
    expect(await serving.stop("SIGTERM")).toBe(0);
  });

  it("are 9880 in the demo, or a free one where that is taken", async () => {
    const other = await hold(9880);
    const serving = await workplace.serve("--server.port=0");
    expect(fixPort(serving)).not.toBe(9880);
    (await FixClient.logOn(fixPort(serving))).close();
    other.close();
  });

  it("stop the start with what to do where a port is taken, and where the engine is in another process", async () => {
    const other = await hold(0);
    const { port } = other.address() as { port: number };
    const at = `127.0.0.1:${port}: the port is in use; stop the other program or set`;
    const config = ["--config", "application.yaml"];
    workplace.write("application.yaml", `server.port: 0\nadmin.engine.fix-port: ${port}`);
    const taken = await workplace.run(["serve", ...config]);
    expect(taken.stderr).toContain(
      `admin.engine.fix-port: cannot listen on ${at} admin.engine.fix-port, as with --admin.engine.fix-port=9000 (npm start -- `,
    );
    expect(taken.code).toBe(1);
    const engine = await workplace.run(["engine", "--listen", "ws://127.0.0.1:0", "--fix-port", String(port)]);
    expect(engine.stderr).toContain(`--fix-port: cannot listen on ${at} --fix-port\n`);
    other.close();
    const remote = [
      "admin.engine.transport: websocket",
      "admin.engine.url: ws://127.0.0.1:1",
      "admin.engine.fix-port: 0",
    ];
    workplace.write("application.yaml", ["server.port: 0", ...remote].join("\n"));
    for (const command of ["serve", "check-config"]) {
      const { stdout, stderr } = await workplace.run([command, ...config]);
      expect(stdout + stderr).toContain("admin.engine.fix-port: needs admin.engine.transport in-process");
    }
  });

  it.each([
    [["--fix-port", "65536"], "--fix-port: must be a whole number from 0 to 65535"],
    [["--fix-port", "x"], "--fix-port: must be a whole number from 0 to 65535"],
    [["--fix-host", "::1"], "--fix-host: is of no use without --fix-port"],
  ])("engine %s is a mistake in the arguments", async (options, message) => {
    const { stderr, code } = await workplace.run(["engine", "--listen", "ws://127.0.0.1:0", ...options]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});
