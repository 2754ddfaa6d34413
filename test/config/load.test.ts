import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { loadSettings } from "../../src/config/load.ts";

describe("Enabling: application.yaml is read from a file", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "settings-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("D-SET 5: settings come with the absolute path of the file; paths are relative to its folder", async () => {
    const file = join(folder, "application.yaml");
    await writeFile(file, "admin:\n  api.enabled: false\n  engine.installation: demo/installation.yaml\n");
    const loaded = await loadSettings(relative(process.cwd(), file));
    expect(loaded.file).toBe(file);
    expect(loaded.settings).toMatchObject({
      "admin.api.enabled": false,
      "admin.engine.installation": join(folder, "demo/installation.yaml"),
      "security.uac.directory": folder,
    });
  });

  test("with problems that name the file as it was given", async () => {
    const file = relative(process.cwd(), join(folder, "my.yaml"));
    await writeFile(file, "server.port: x\n");
    await expect(loadSettings(file)).rejects.toThrow(`${file}:1: server.port: must be`);
  });

  test.each([
    ["admin.gateway.name: M\xfcnchen\n", "1:22: the file is not UTF-8"],
    ["# \xc3\xa4\nserver.port: 1\nadmin.gateway.name: \xff\xfe\n", "3:21: the file is not UTF-8"],
    ["\xfe\xff\0a", " the file is UTF-16, as its byte order mark says"],
    ["\xff\xfea\0", " the file is UTF-16, as its byte order mark says"],
  ])("D-SET 1: and one that is not UTF-8 is refused with its place", async (text, reason) => {
    const file = join(folder, "application.yaml");
    await writeFile(file, Buffer.from(text, "latin1"));
    await expect(loadSettings(file)).rejects.toThrow(`${file}:${reason}; save it as UTF-8`);
  });

  test("and a byte order mark of UTF-8 is not part of it", async () => {
    const file = join(folder, "application.yaml");
    await writeFile(file, "\ufeffserver.port: 81\n");
    expect((await loadSettings(file)).settings["server.port"]).toBe(81);
  });

  test.each([
    ["in quotes", 'server.ssl.key-store-password: " pw "', " pw "],
    ["in a block", "server.ssl.key-store-password: |-\n  pw ", "pw "],
    ["by a placeholder", "server.ssl.key-store-password: $" + "{PW}", "\tpw "],
  ])("a secret keeps the blanks at its ends: %s", async (_name, text, password) => {
    const file = join(folder, "application.yaml");
    await writeFile(file, text);
    const { settings } = await loadSettings(file, { environment: { PW: "\tpw " } });
    expect(settings["server.ssl.key-store-password"]).toBe(password);
  });

  test.each(["pw\n", "\npw", "pw\r\n\n"])("line ends are not part of a secret: %j", async (password) => {
    const file = join(folder, "application.yaml");
    await writeFile(file, `server.ssl.key-store-password: ${JSON.stringify(password)}\n`);
    expect((await loadSettings(file)).settings["server.ssl.key-store-password"]).toBe("pw");
  });

  test.each(["__proto__", "constructor", "toString"])("a name in a map of settings is any text: %s", async (name) => {
    const file = join(folder, "application.yaml");
    const lines = [
      `admin.policy.paths: { "${name}": ["Account[GOLD]"], other: [] }`,
      `security.oauth2.provider.authorityMapping: { "${name}": HALT_RESUME_TRADING }`,
    ];
    await writeFile(file, `${lines.join("\n")}\n`);
    const { settings } = await loadSettings(file);
    expect(Object.entries(settings["admin.policy.paths.*"] ?? {})).toEqual([
      [name, ["Account[GOLD]"]],
      ["other", []],
    ]);
    const mapping = settings["security.oauth2.provider.authorityMapping.*"] ?? {};
    expect(Object.hasOwn(mapping, name) && mapping[name]).toEqual(["HALT_RESUME_TRADING"]);
  });

  test("and a missing one is reported with its absolute path and what to do", async () => {
    const file = join(folder, "application.yaml");
    const failure = await loadSettings(relative(process.cwd(), file)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure).toMatchObject({
      name: "ConfigurationError",
      message: `there is no configuration file ${file}; create it (an empty file means all defaults) or name another one`,
      cause: { code: "ENOENT" },
    });
  });

  test("and an unreadable one with its absolute path and the reason of the system", async () => {
    const failure = await loadSettings(folder).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect(failure).toMatchObject({
      message: expect.stringMatching(`^the configuration file ${folder} cannot be read: EISDIR`),
      cause: { code: "EISDIR" },
    });
  });
});
