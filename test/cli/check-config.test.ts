// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of settings look like those of templates
import { mkdirSync, readdirSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Ended, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.writeUser("desk", "correct horse 7 battery");
  workplace.write("application.yaml", "server.port: 0\n");
});

afterEach(() => workplace.close());

/** Runs `check-config` on the folder's `application.yaml` with variables and further arguments. */
function check(environment: Record<string, string> = {}, ...args: readonly string[]): Promise<Ended> {
  return workplace.run(["check-config", "--config", "application.yaml", ...args], "", environment);
}

/** The columns of a setting's line. */
function row(output: string, key: string): string[] {
  const line = output.split("\n").find((candidate) => candidate.startsWith(`  ${key} `));
  return (line ?? "").trim().split(/ {2,}/);
}

describe("check-config prints the effective configuration", () => {
  it("with each effective value and its source, for every setting, and secrets masked", async () => {
    mkdirSync(workplace.file("secrets"));
    workplace.write("secrets/admin.engine.token", "hush\n");
    workplace.write(
      "application.yaml",
      "spring.config.import: configtree:secrets\nadmin.api.max-body-size: ${SIZE:2MB}\nadmin.engine.request-timeout: 5s\nserver.port: 1\n",
    );
    const environment = { SERVER_PORT: "2", SERVER_ADDRESS: "localhost", ADMIN_ENGINE_REQUESTTIMEOUT: "6s" };
    const { code, stdout, stderr } = await check(environment, "--server.port=3");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(row(stdout, "server.port")).toEqual(["server.port", "3", "command line --server.port"]);
    expect(row(stdout, "server.address").slice(1)).toEqual(["localhost", "environment variable SERVER_ADDRESS"]);
    expect(row(stdout, "admin.engine.request-timeout")[1]).toBe("6s");
    expect(row(stdout, "admin.api.max-body-size").slice(1)).toEqual(["2MB", "application.yaml:2"]);
    expect(row(stdout, "admin.audit.max-file-size").slice(1)).toEqual(["64MB", "default"]);
    expect(row(stdout, "admin.audit.file").slice(1)).toEqual(["not set", "default"]);
    expect(row(stdout, "admin.engine.token").slice(1)).toEqual([
      "***",
      `config tree file ${workplace.file("secrets/admin.engine.token")}`,
    ]);
    expect(stdout).not.toContain("hush");
    expect(stdout).toMatch(/\nthe configuration is in order\n$/);
  });

  it.each([
    ["nothing set", [], /^ {2}SIMPLE: HTTP Basic against the access files in \S+$/m],
    [
      "a login provider",
      [
        "--security.oauth2.provider.name=kc",
        "--spring.security.oauth2.client.provider.kc.issuer-uri=https://a.example",
      ],
      /^ {2}PROVIDER: bearer tokens of https:\/\/a\.example$/m,
    ],
    [
      "NONE",
      ["--security.oauth2.authenticationType=NONE"],
      /^ {2}The API is closed: security\.oauth2\.authenticationType is NONE/m,
    ],
    [
      "a provider that is not configured",
      ["--security.oauth2.authenticationType=PROVIDER"],
      /^ {2}The API is closed: .*no JWT validation is configured[\s\S]*\nthe gateway would start, with the API closed\n$/m,
    ],
    ["the API off", ["--admin.api.enabled=false"], /^ {2}none: admin\.api\.enabled is false/m],
  ])("D-AUTH 6: with %s and its mechanism, and no problem where the API would be closed", async (_, args, line) => {
    const { code, stdout, stderr } = await check({}, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(line);
  });
});

describe("check-config --changed", () => {
  it("prints only settings that differ from their defaults, whatever was written", async () => {
    workplace.write(
      "application.yaml",
      "server.port: 8988\nserver.address: localhost\nadmin.audit.file: audit.jsonl\n",
    );
    const { code, stdout } = await check({}, "--changed", "--admin.engine.request-timeout=10000");
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}[a-z-]+\.\S+ {2}.*$/gm)?.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ["server.address", "localhost", "application.yaml:2"],
      ["admin.audit.file", workplace.file("audit.jsonl"), "application.yaml:3"],
    ]);
    expect(stdout).toMatch(/\nthe configuration is in order\n$/);
  });

  it("says that nothing differs", async () => {
    workplace.write("application.yaml", "");
    expect((await check({}, "--changed")).stdout).toContain("\nsettings that differ from their defaults\n  none\n");
  });
});

describe("D-SET 1: check-config reports what is wrong, with exit code 1", () => {
  it("with all problems of all sources together, and no value of a secret", async () => {
    workplace.write("application.yaml", "admin.engine.token: [hush]\nserver.address: ${HOST}\n");
    const { code, stdout, stderr } = await check({ ADMIN_API_ENABLED: "maybe" }, "--server.prot=1");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      'trading-admin: command line --server.prot: unknown key "server.prot"; did you mean "server.port"?',
      'environment variable ADMIN_API_ENABLED: admin.api.enabled: must be true or false, is "maybe"',
      "application.yaml:1: admin.engine.token: must be text that is not empty",
      expect.stringMatching(/^application\.yaml:2: server\.address: no value for \$\{HOST\}: /),
      "",
    ]);
  });

  it("in files that the gateway would start from", async () => {
    workplace.write("uac-file-security.xml", "<config>\n<users>\n</config>");
    workplace.write("installation.yaml", "nonsense: 1\nmore: 2\n");
    const { code, stdout } = await check({}, "--admin.engine.installation=installation.yaml");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM: \S+installation\.yaml:1: /m);
    expect(stdout).toMatch(/^PROBLEM: \S+uac-file-security\.xml:\d+:\d+: /m);
    expect(stdout).toMatch(/\nthe gateway would not start\n$/);
  });

  it("in the LDAP file and the access rules, without asking the directory", async () => {
    const args = ["--security.oauth2.authenticationType=LDAP"];
    const missing = await check({}, ...args);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/^ {2}LDAP: HTTP Basic against the directory of uac-ldap-security\.xml in \S+$/m);
    expect(missing.stdout).toMatch(/^PROBLEM: \S+uac-ldap-security\.xml: the file does not exist/m);
    workplace.write("uac-ldap-security.xml", "<config>\n<nonsense/>\n</config>");
    const broken = await check({}, ...args);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^PROBLEM: \S+uac-ldap-security\.xml:2:\d+: /m);
  });

  it("in settings that do not fit together", async () => {
    const { code, stdout } = await check({}, "--admin.engine.transport=nats");
    expect(code).toBe(1);
    expect(stdout).toContain("\nPROBLEM: admin.engine.url: is required when admin.engine.transport is nats\n");
  });

  it("D-GATE 21: warns where the monitor has the origin of the console, until the pages have a separate host", async () => {
    const monitor = "--gateway.monitor.url=http://127.0.0.1:9";
    const shared = /^warning: gateway\.pages\.host: is not set, .* the origin of the monitor backend/m;
    expect(await check({}, monitor)).toMatchObject({ code: 0, stdout: expect.stringMatching(shared) });
    for (const others of [
      [],
      [monitor, "--gateway.pages.host=console.example"],
      [monitor, "--admin.api.enabled=false"],
      [monitor, "--security.oauth2.authenticationType=NONE"],
    ]) {
      const { code, stdout } = await check({}, ...others);
      expect([code, stdout], others.join(" ")).toEqual([0, expect.not.stringMatching(shared)]);
    }
  });

  it("D-SHARE 4: in two-person without its store, and warns where both people must use the same gateway", async () => {
    const twoPerson = "--admin.policy.two-person.operations=resumeTrading";
    const without = await check({}, twoPerson, "--admin.policy.two-person.store=nats");
    expect(without.code).toBe(1);
    expect(without.stdout).toContain(
      "\nPROBLEM: admin.policy.two-person.store: nats needs servers; give admin.shared.nats.url, or an engine on NATS\n",
    );
    const memory = await check({}, twoPerson);
    expect(memory.code).toBe(0);
    expect(memory.stdout).toMatch(/^warning: admin\.policy\.two-person: .* both people must use the same gateway/m);
    const shared = await check(
      {},
      twoPerson,
      "--admin.policy.two-person.store=nats",
      "--admin.shared.nats.url=nats://a",
    );
    expect([shared.code, shared.stdout]).toEqual([0, expect.not.stringContaining("same gateway")]);
  });

  it("and checks the demo where there is no file, without creating one", async () => {
    const before = readdirSync(workplace.path);
    const { code, stderr } = await workplace.run(["check-config"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^trading-admin: there is no demo in \.demo to check .*--config\n$/);
    expect(readdirSync(workplace.path)).toEqual(before);
  });
});

describe("D-SET 3: serve takes settings as arguments", () => {
  it("which override those of the file", async () => {
    workplace.write("application.yaml", "server.port: 1\nsecurity.uac.directory: nowhere\n");
    const serving = await workplace.serve(
      "--server.port=0",
      "--config",
      "application.yaml",
      "--security.uac.directory=.",
    );
    expect(serving.url).toMatch(/^http:\/\/127\.0\.0\.1:\d{4,5}$/);
  });

  it("and does not start with an unknown one, but names the nearest key", async () => {
    const { code, stdout, stderr } = await workplace.run(["serve", "--config", "application.yaml", "--server.prot=0"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: 'trading-admin: command line --server.prot: unknown key "server.prot"; did you mean "server.port"?\n',
    });
  });

  it.each([
    ["--server.port"],
    ["--admin.engine.token", "hush"],
    ["-admin.engine.token=hush"],
    ["admin.engine.token=hush"],
  ])("and refuses what is not --key=value without showing it: %s", async (...args) => {
    const { code, stderr } = await workplace.run(["serve", "--config", "application.yaml", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^trading-admin: .*; settings are written --key=value/);
    expect(stderr).not.toContain("hush");
  });
});
