import { chmodSync, chownSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { readProfiles } from "../../src/cli/connection/profile.ts";
import { connectionSettings, settingsFromEnvironment } from "../../src/cli/connection/settings.ts";
import { json, ScriptedServer } from "../client/scripted-server.ts";
import { type Ended, requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
});

afterAll(() => installation.close());

/** Runs a command with a file of profiles, and nothing else that says where to go. */
function withProfiles(
  content: object,
  args: readonly string[],
  more: Record<string, string> = {},
  input = "",
): Promise<Ended> {
  const { workplace } = installation;
  workplace.writePrivate("profiles.yaml", JSON.stringify(content));
  return workplace.run(args, input, { TRADING_ADMIN_CONFIG: workplace.file("profiles.yaml"), ...more });
}

function desk(more: object = {}): object {
  return { url: installation.serving.url, user: "desk", "password-file": "password", ...more };
}

const STATUS = ["trading", "status", "-o", "json"];

describe("profiles", () => {
  it("are chosen by default, by variable or by option; what is typed goes first", async () => {
    const profiles = { good: desk(), bad: desk({ url: "http://127.0.0.1:1" }) };
    expect((await withProfiles({ current: "good", profiles }, STATUS)).code).toBe(0);
    expect((await withProfiles({ current: "good", profiles }, STATUS, { TRADING_ADMIN_PROFILE: "bad" })).code).toBe(6);
    const args = [...STATUS, "--profile", "good"];
    expect((await withProfiles({ current: "bad", profiles }, args, { TRADING_ADMIN_PROFILE: "bad" })).code).toBe(0);
  });

  it("may have several addresses, of which one that is gone is passed over", async () => {
    const addresses = ["http://127.0.0.1:1", installation.serving.url];
    const { code, stderr } = await withProfiles(
      { current: "a", profiles: { a: desk({ url: undefined, addresses }) } },
      STATUS,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/http:\/\/127\.0\.0\.1:1 was passed over, nothing was sent/);
  });

  it.each([
    ["a command", () => desk({ "password-file": undefined, "password-command": "cat password" }), {}, ""],
    ["standard input", () => desk({ "password-file": "-" }), {}, `${PASSWORD}\n`],
    ["the environment", () => desk({ "password-file": undefined }), { TRADING_ADMIN_PASSWORD: PASSWORD }, ""],
    [
      "a file that the environment names",
      () => desk({ "password-file": undefined }),
      { TRADING_ADMIN_PASSWORD_FILE: "password" },
      "",
    ],
  ])("take the password from %s", async (_, profile, environment, input) => {
    const { code, stderr } = await withProfiles(
      { current: "a", profiles: { a: profile() } },
      STATUS,
      environment,
      input,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("may name a password-command; if it fails its exit code is shown and nothing is sent", async () => {
    const profile = desk({ "password-file": undefined, "password-command": "exit 3" });
    const { code, stderr } = await withProfiles({ current: "a", profiles: { a: profile } }, STATUS);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "trading-admin: password-command gave no password: it ended with exit code 3\n",
    });
  });

  it("may have client credentials, which get the token of the token endpoint", async () => {
    installation.workplace.writePrivate("secret", "hush\n");
    const server = await ScriptedServer.start((response, { path }) =>
      path === "/token"
        ? json(response, 200, { access_token: "abc", token_type: "Bearer", expires_in: 60 })
        : json(response, 200, []),
    );
    const grant = {
      "token-url": `${server.origin}/token`,
      "client-id": "bot",
      "client-secret-file": "secret",
      scope: "trading",
    };
    const profiles = { bot: { url: server.origin, ...grant } };
    expect((await withProfiles({ current: "bot", profiles }, ["services", "list"])).code).toBe(0);
    expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/token", `Basic ${Buffer.from("bot:hush").toString("base64")}`],
      ["/api/admin/v1/services", "Bearer abc"],
    ]);
    expect(server.requests[0]?.body).toContain("scope=trading");
  });

  it("are refused in a file that others can read", async () => {
    const { workplace } = installation;
    workplace.write("open.yaml", "{}");
    chmodSync(workplace.file("open.yaml"), 0o644);
    const { code, stderr } = await workplace.run(STATUS, "", { TRADING_ADMIN_CONFIG: workplace.file("open.yaml") });
    expect(code).toBe(2);
    expect(stderr).toContain("can be read or changed by other users; run: chmod 600 ");
  });

  it("are not read from a file of another user, who can change the commands in it", async () => {
    const { workplace } = installation;
    workplace.writePrivate("theirs.yaml", "{}");
    const path = workplace.file("theirs.yaml");
    const self = process.getuid?.() ?? 0;
    // Only root can give a file away.
    if (self === 0) chownSync(path, 65_534, 65_534);
    else vi.spyOn(process, "getuid").mockReturnValue(self + 1);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(readProfiles(path)).rejects.toThrow("belongs to another user, who can change it");
  });

  it.each([
    [{ profiles: { a: { usr: "x" } } }, /unknown key "profiles\.a\.usr"; did you mean "user"\?/],
    [{ profiles: { a: { addresses: [] } } }, /profiles\.a\.addresses: must be a list of URLs/],
    [{ profiles: { a: { production: "yes" } } }, /profiles\.a\.production: must be true or false/],
    [{ current: "prodd", profiles: { prod: {} } }, /has no profile "prodd"; did you mean "prod"\?/],
    [{ profile: {} }, /unknown key "profile"; did you mean "profiles"\?/],
  ])("are refused with what is wrong in the file: %j", async (content, words) => {
    const { code, stderr } = await withProfiles(content, STATUS);
    expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
  });

  it("are listed, shown and chosen; use keeps the rest of the file, its mode too", async () => {
    const { workplace } = installation;
    const file = `# installations
profiles:
  a:
    url: http://127.0.0.1:1
    user: desk # the desk
  b:
    url: http://127.0.0.1:2
    production: true
`;
    workplace.writePrivate("two.yaml", file);
    // What somebody has put beside it is neither followed nor changed.
    workplace.write("others.txt", "theirs");
    symlinkSync(workplace.file("others.txt"), workplace.file("two.yaml.new"));
    const environment = { TRADING_ADMIN_CONFIG: workplace.file("two.yaml") };
    expect((await workplace.run(["profile", "use", "b"], "", environment)).code).toBe(0);
    expect(readFileSync(workplace.file("two.yaml"), "utf8")).toBe(`${file}current: b\n`);
    expect(statSync(workplace.file("two.yaml")).mode & 0o777).toBe(0o600);
    expect(readFileSync(workplace.file("others.txt"), "utf8")).toBe("theirs");
    expect(readdirSync(workplace.path).filter((name) => name.endsWith(".new"))).toEqual(["two.yaml.new"]);
    const list = await workplace.run(["profile", "list"], "", environment);
    expect(list.stdout).toMatch(/^b +yes +yes +http:\/\/127\.0\.0\.1:2 +-$/m);
    const show = await workplace.run(["profile", "show", "-o", "json"], "", environment);
    expect(JSON.parse(show.stdout)).toEqual({ name: "b", url: "http://127.0.0.1:2", production: true });
  });
});

describe("D-SET 8: the name of the profile in use stands beside whatever acts", () => {
  const line = "sending to london-prod\n";

  it.each([
    ["a stop", ["halt", "Account[GOLD]", "--reason", "drill"]],
    ["a change", ["resume", "Account[GOLD]", "--yes"]],
    ["several commands", ["fix", "disable", "OE1", "FIXCLIENT1", "FIXCLIENT2"]],
    ["a command that is refused", ["services", "disable", "NOWHERE"]],
  ])("of %s, once, on standard error", async (_, args) => {
    const { stderr } = await withProfiles({ current: "london-prod", profiles: { "london-prod": desk() } }, args);
    expect(stderr.split(line).length).toBe(2);
  });

  it("not of a read, nor of an address that was typed", async () => {
    const read = await withProfiles({ current: "london-prod", profiles: { "london-prod": desk() } }, STATUS);
    expect(read.stderr).toBe("");
    expect((await installation.run("resume", "--yes")).stderr).not.toContain("sending to");
  });
});

describe("credentials on the way", () => {
  it("D-CLI 7: a plain http:// address beyond this machine is refused unless asked for", async () => {
    const refused = await installation.run("halt", "--url", "http://192.0.2.1:8988");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /nothing was sent: credentials could be read on the way to http:\/\/192\.0\.2\.1:8988; use https:/,
    );
    const asked = await installation.run("halt", "--curl", "--url", "http://192.0.2.1:8988", "--allow-plain-http");
    expect(asked.code).toBe(0);
  });

  it("D-CLI 7: so is a token endpoint there, to which the secret of the client goes", async () => {
    const client = ["--client-id", "desk-tools", "--client-secret-file", "password"];
    const refused = await installation.run("halt", "--token-url", "http://192.0.2.1/token", ...client);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/nothing was sent: credentials could be read on the way to http:\/\/192\.0\.2\.1;/);
  });

  it("D-CLI 7: an address without a scheme is accepted", async () => {
    const host = installation.serving.url.replace("http://", "");
    expect((await installation.run("trading", "status", "--url", host)).code).toBe(0);
  });

  it("-v shows request ids, statuses and times, and no credentials", async () => {
    const { stderr } = await installation.run("services", "list", "-v");
    const lines = stderr.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^GET http:\S+ request id [\w.-]+: 200 in \d+\.\d ms$/);
    expect(lines.filter((line) => line.includes("/services "))).toHaveLength(1);
    expect(stderr).not.toMatch(/authorization|password/i);
  });
});

describe("where settings come from", () => {
  const environment = settingsFromEnvironment({
    TRADING_ADMIN_URL: "https://e",
    TRADING_ADMIN_USER: "eve",
    TRADING_ADMIN_PASSWORD: "x",
  });
  const values = { url: "https://p", user: "pat", passwordFile: "/p", production: true };

  it("a profile that was typed goes before the environment, which goes before one that a variable names", () => {
    const typed = connectionSettings({ profile: "p" }, environment, { name: "p", values, from: "option" });
    expect(typed).toMatchObject({ addresses: ["https://p"], credentials: { user: "pat", passwordFile: "/p" } });
    const named = connectionSettings({}, environment, { name: "p", values, from: "variable" });
    expect(named).toMatchObject({ addresses: ["https://e"], credentials: { user: "eve", password: "x" } });
  });

  describe("D-CLI 6: the password of a profile does not go to an address that was given otherwise", () => {
    const elsewhere = { profile: undefined, production: false, addresses: ["https://o"], credentials: {} };

    it.each(["current", "variable"] as const)("when the profile is from: %s", (from) => {
      const profile = { name: "p", values, from };
      const unused = from === "variable" ? "p" : undefined;
      for (const [options, environment] of [[{ url: "https://o" }, {}] as const, [{}, { url: "https://o" }] as const]) {
        expect(connectionSettings(options, environment, profile)).toMatchObject({ ...elsewhere, unused });
      }
    });

    it("unless the profile was typed, too", () => {
      const typed = connectionSettings({ url: "https://o" }, {}, { name: "p", values, from: "option" });
      expect(typed).toMatchObject({ addresses: ["https://o"], credentials: { user: "pat", passwordFile: "/p" } });
    });

    it("which is said of a profile that a variable names: nothing is sent without other credentials", async () => {
      const server = await ScriptedServer.start((response) => json(response, 200, {}));
      const args = [...STATUS, "--url", server.origin];
      const ended = await withProfiles({ profiles: { prod: desk() } }, args, { TRADING_ADMIN_PROFILE: "prod" });
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(
        /the profile prod of TRADING_ADMIN_PROFILE is not used, .*; --profile prod names it/,
      );
      expect(ended.stderr).toMatch(/say who you are/);
      expect(server.requests).toEqual([]);
      await withProfiles({ profiles: { prod: desk() } }, [...args, "--profile", "prod"]);
      expect(server.requests[0]?.headers.authorization).toMatch(/^Basic /);
    });
  });

  describe("where nothing says which gateway and which user, nothing is sent, and it is said what to do", () => {
    it("with the lines of npm start, or with options or a profile", async () => {
      const { workplace } = installation;
      const { code, stderr } = await workplace.run(["halt"], "", { XDG_CONFIG_HOME: workplace.path });
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /no gateway and no user are given: for the demo, paste the two lines .* that npm start printed; /,
      );
      expect(stderr).toContain(
        `or write a profile (${workplace.path}/trading-admin/config.yaml, docs/operate/profiles.md)`,
      );
    });

    it("with one of the profiles that exist, where none is in use", async () => {
      const { code, stderr } = await withProfiles({ profiles: { london: desk(), test: desk() } }, ["halt"]);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /no user are given: use --profile NAME, or .*profile use NAME \(known: london, test\); for the demo, /,
      );
    });

    it("but what is missing is named where a user or an address is given", async () => {
      const { workplace } = installation;
      const environment = { XDG_CONFIG_HOME: workplace.path };
      const addressed = await workplace.run(["halt", "--url", "http://127.0.0.1:1"], "", environment);
      expect(addressed.stderr).toMatch(/say who you are: --user/);
      const named = await workplace.run(["halt", "--user", "desk"], "", environment);
      expect(named.stderr).toMatch(/say who you are: --user/);
    });
  });

  it("the password of a profile's user is not sent for another user", () => {
    const other = connectionSettings({ user: "bob" }, {}, { name: "p", values, from: "current" });
    expect(other.credentials).toEqual({ user: "bob" });
  });
});
