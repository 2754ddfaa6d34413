import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Connection } from "../gateway/connection.ts";
import { type RawRequest, sendRaw } from "../support/raw-http.ts";
import { requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

const PASSWORD = "correct horse 7 battery";
const AUTHORIZATION = `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`;
const STATUS: RawRequest = { path: "/api/admin/v1/trading/status", authorization: AUTHORIZATION };

/** Less than half of what an idle connection may wait for its next request. */
const SOON_MS = 30_000;

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD);
  workplace.write("application.yaml", "server:\n  port: 0\n  shutdown.drain-time: 0s\n");
});

afterEach(() => workplace.close());

describe("serve --config", () => {
  it("says once where it listens, and serves there (specification, Conventions 1)", async () => {
    const serving = await workplace.serve("--config", "application.yaml");
    expect(serving.stdout.match(/^.*listening on.*$/gm)).toEqual([`listening on ${serving.url}`]);
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(await sendRaw(serving.url, STATUS)).toMatchObject({ status: 200 });
    expect(await sendRaw(serving.url, { ...STATUS, authorization: null })).toMatchObject({ status: 401, body: "" });
    expect(serving.stderr).toBe("");
  });

  it("serves application.yaml of the working directory without an argument, and the demo only where there is none", async () => {
    const serving = await workplace.serve();
    expect(await sendRaw(serving.url, STATUS)).toMatchObject({ status: 200 });
    expect(serving.stdout).toContain(workplace.file("application.yaml"));
    expect(serving.stdout).not.toContain(".demo");
  });

  it("D-SET 5: takes paths in the configuration as relative to its folder, wherever it is started", async () => {
    const elsewhere = new Workplace();
    try {
      const serving = await elsewhere.serve("--config", workplace.file("application.yaml"));
      expect(await sendRaw(serving.url, STATUS)).toMatchObject({ status: 200 });
    } finally {
      await elsewhere.close();
    }
  });

  it("writes mutations to standard output, one line of JSON each, and no credentials (D-LOG 4)", async () => {
    const serving = await workplace.serve("--config", "application.yaml");
    const halt = { ...STATUS, method: "POST", path: "/api/admin/v1/trading/halt" };
    expect(await sendRaw(serving.url, halt)).toMatchObject({ status: 200 });
    const records = (): unknown[] =>
      serving.stdout.split("\n").flatMap((line) => (line.includes('"stage"') ? [JSON.parse(line)] : []));
    await expect.poll(records).toMatchObject([
      { stage: "intent", user: "desk", operation: "haltTrading", requestId: expect.any(String) },
      { stage: "applied", user: "desk", operation: "haltTrading", requestId: expect.any(String) },
    ]);
    expect(serving.stdout + serving.stderr).not.toContain(PASSWORD);
    expect(serving.stdout + serving.stderr).not.toContain(AUTHORIZATION.slice("Basic ".length));
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends with exit code 0 on %s, whatever connections are open",
    async (signal) => {
      const serving = await workplace.serve("--config", "application.yaml");
      const [unused, idle] = [await Connection.open(serving.url), await Connection.open(serving.url)];
      try {
        idle.write(`GET ${STATUS.path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTHORIZATION}\r\n\r\n`);
        await idle.until(/^HTTP\/1\.1 200 OK/);
        const started = Date.now();
        expect(await serving.stop(signal)).toBe(0);
        expect(Date.now() - started).toBeLessThan(SOON_MS);
        expect(serving.stdout).toMatch(/\nstopped\n$/);
        expect(serving.stderr).toBe("");
        await expect(sendRaw(serving.url, STATUS)).rejects.toThrow("ECONNREFUSED");
      } finally {
        unused.destroy();
        idle.destroy();
      }
    },
  );

  it.each([
    ["SIGTERM", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
    ["SIGINT", "SIGTERM"],
  ] as const)(
    "D-GATE 15: after %s it drains while readiness is being checked; %s ends it immediately",
    async (first, second) => {
      workplace.write("application.yaml", "server:\n  port: 0\n  shutdown.drain-time: 5m\n");
      const serving = await workplace.serve("--config", "application.yaml");
      const readiness = async (): Promise<number> => (await fetch(`${serving.url}/actuator/health/readiness`)).status;
      expect(await readiness()).toBe(200);
      const stopped = serving.stop(first);
      await expect.poll(readiness).toBe(503);
      await serving.stop(second);
      expect(await stopped).toBeNull();
    },
  );

  it("D-GATE 5: SIGTERM lets a request in progress finish", async () => {
    const serving = await workplace.serve("--config", "application.yaml");
    const connection = await Connection.open(serving.url);
    try {
      const headers = `Host: x\r\nAuthorization: ${AUTHORIZATION}\r\nContent-Type: application/json\r\n`;
      connection.write(
        `POST /api/admin/v1/trading/halt HTTP/1.1\r\n${headers}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
      );
      await connection.until(/^HTTP\/1\.1 100 Continue/);
      const stopped = serving.stop("SIGTERM");
      await expect
        .poll(() => Connection.open(serving.url).then((other) => other.destroy(), String))
        .toContain("ECONNREFUSED");
      connection.write("{}");
      await connection.until(/HTTP\/1\.1 200 OK/);
      expect(await stopped).toBe(0);
    } finally {
      connection.destroy();
    }
  });
});

describe("serve with something wrong ends by itself with exit code 1 and says what, without a stack trace", () => {
  async function failure(): Promise<string> {
    const { code, stdout, stderr } = await workplace.run(["serve", "--config", "application.yaml"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^trading-admin: \S/) });
    expect(stderr).not.toMatch(/\n\s+at |node:internal|Error:/);
    expect(stdout).not.toContain("listening");
    return stderr;
  }

  it.each([
    [
      "an unknown key",
      "server:\n  prot: 8988\n",
      'trading-admin: application.yaml:2: unknown key "server.prot"; did you mean "server.port"?\n',
    ],
    [
      "a wrong value",
      "server.port: 0\nserver.port: many\n".replace("server.port: 0\n", "# the port\n"),
      'trading-admin: application.yaml:2: server.port: must be a whole number from 0 to 65535, is "many"\n',
    ],
    [
      "a removed key",
      "security:\n  oauth2:\n    provider:\n      audience: desk\n",
      'trading-admin: application.yaml:4: "security.oauth2.provider.audience" is no longer supported; ' +
        'use "spring.security.oauth2.resourceserver.jwt.audiences" instead\n',
    ],
    ["broken YAML", "server: {\n", /application\.yaml:[12]:\d+: \S/],
    [
      "LDAP",
      "security.oauth2.authenticationType: LDAP\n",
      /uac-ldap-security\.xml: the file does not exist; create it/,
    ],
    [
      "a broken installation",
      "server.port: 0\nadmin.engine.installation: application.yaml\n",
      /application\.yaml:1: \S/,
    ],
  ])("for %s", async (_, yaml, message) => {
    workplace.write("application.yaml", yaml);
    expect(await failure()).toMatch(message);
  });

  it("for all mistakes of the configuration together", async () => {
    workplace.write("application.yaml", "server.prot: 1\nadmin.api.enabled: maybe\n");
    expect((await failure()).split("\n")).toEqual([
      'trading-admin: application.yaml:1: unknown key "server.prot"; did you mean "server.port"?',
      'application.yaml:2: admin.api.enabled: must be true or false, is "maybe"',
      "",
    ]);
  });

  it("for a missing configuration file", async () => {
    const { code, stderr } = await workplace.run(["serve", "--config", "nowhere.yaml"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`there is no configuration file ${workplace.file("nowhere.yaml")}`),
    ]);
  });

  it("for a broken user file", async () => {
    workplace.write("uac-file-security.xml", "<config>\n<users>\n</config>");
    expect(await failure()).toMatch(/uac-file-security\.xml:\d+:\d+: \S/);
  });

  it("for a port in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = other.address() as AddressInfo;
      workplace.write("application.yaml", `server.port: ${port}\n`);
      expect(await failure()).toBe(
        `trading-admin: Cannot listen on 127.0.0.1:${port}: the port is in use; stop the other program or set server.port, as with --server.port=9000 (npm start -- --server.port=9000)\n`,
      );
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});
