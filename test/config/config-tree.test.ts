// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of settings look like those of templates
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { parseSettings, type SettingOverrides, type TracedSettings, traceSettings } from "../../src/config/load.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "config-tree-"));
});

afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Uint8Array): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const IMPORT = "spring.config.import: configtree:secrets/";

/** What the gateway would run with; each line is one of `application.yaml`. */
function load(lines: readonly string[], overrides?: SettingOverrides): Promise<TracedSettings> {
  write("application.yaml", lines.join("\n"));
  return traceSettings(join(folder, "application.yaml"), overrides);
}

async function problems(lines: readonly string[], overrides?: SettingOverrides): Promise<string[]> {
  const failure = await load(lines, overrides).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConfigurationError);
  return (failure as Error).message.replaceAll(folder, "FOLDER").split("\n");
}

describe("D-SET 4: configtree: files of a folder are settings", () => {
  test("named by their relative paths, with dots for slashes; relative to the folder of application.yaml", async () => {
    write("secrets/admin.engine.token", "t0ken\n");
    write("secrets/server/port", "81");
    write("secrets/admin/api/max_body_size", "2MB\r\n");
    const { settings, sources } = await load([IMPORT]);
    expect(settings).toMatchObject({
      "admin.engine.token": "t0ken",
      "server.port": 81,
      "admin.api.max-body-size": 2_097_152,
    });
    expect(sources[2]).toBe(`config tree ${join(folder, "secrets")}`);
  });

  test.each([
    ["t0ken\n", "t0ken"],
    ["t0ken\r\n", "t0ken"],
    ["t0ken", "t0ken"],
    ["two\nlines\n", "two\nlines"],
    ["pa${ss}\\${word}", "pa${ss}\\${word}"],
    ["pä$$🔑", "pä$$🔑"],
  ])("where the content %j is the value %j", async (content, value) => {
    write("secrets/admin.engine.token", content);
    expect((await load([IMPORT])).settings["admin.engine.token"]).toBe(value);
  });

  test("and placeholders can name any file, whose content is taken literally", async () => {
    write("secrets/db/pass-word", "a${b}c\n");
    const { settings } = await load([IMPORT, "admin.engine.token: <${db.passWord}>"]);
    expect(settings["admin.engine.token"]).toBe("<a${b}c>");
  });

  test("and elements of a list are files", async () => {
    write("secrets/admin/api/projection-keys[1]", "Book\n");
    write("secrets/admin/api/projection-keys[0]", "Desk\n");
    expect((await load([IMPORT])).settings["admin.api.projection-keys"]).toEqual(["Desk", "Book"]);
  });

  test("in a volume of Kubernetes too: names that begin with .. are skipped, links are followed", async () => {
    write("secrets/..2026_01_01/server.port", "81");
    write("secrets/..2026_01_01/deep/..hidden/server.address", "hidden.example");
    symlinkSync("..2026_01_01", join(folder, "secrets/..data"));
    symlinkSync("..data/server.port", join(folder, "secrets/server.port"));
    const { settings, given } = await load([IMPORT]);
    expect(settings).toMatchObject({ "server.port": 81, "server.address": "127.0.0.1" });
    expect(given.get("server.port")?.property.origin).toEqual({
      source: "config tree",
      file: join(folder, "secrets/server.port"),
    });
  });

  test("and other files disturb nothing, whatever is in them", async () => {
    write("secrets/keystore.p12", new Uint8Array([0xff, 0xfe, 0x00]));
    write("secrets/big", "x".repeat(70_000));
    write("secrets/server.prot", "1");
    symlinkSync("nowhere", join(folder, "secrets/dangling"));
    expect((await load([IMPORT])).settings["server.port"]).toBe(8988);
  });
});

describe("D-SET 3: order of the sources", () => {
  test("has trees before the file, and environment and arguments before trees", async () => {
    write("secrets/server.port", "1");
    const lines = [IMPORT, "server.port: 2"];
    const port = async (overrides?: SettingOverrides) => (await load(lines, overrides)).settings["server.port"];
    expect(await port()).toBe(1);
    expect(await port({ environment: { SERVER_PORT: "3" } })).toBe(3);
    expect(await port({ environment: { SERVER_PORT: "3" }, commandLine: ["--server.port=4"] })).toBe(4);
  });

  test("has the last of several trees first; those of the environment before those of the file", async () => {
    for (const name of ["a", "b", "c"]) write(`${name}/server.port`, String(name.charCodeAt(0)));
    write("a/server.address", "a.example");
    const lines = ["spring.config.import: [configtree:a/, configtree:b]"];
    expect((await load(lines)).settings).toMatchObject({ "server.port": 98, "server.address": "a.example" });
    const environment = { SPRING_CONFIG_IMPORT: "configtree:${DIRECTORY}", DIRECTORY: "c" };
    const { settings } = await load(lines, { environment });
    expect(settings).toMatchObject({ "server.port": 99, "server.address": "a.example" });
  });

  test("takes each folder of configtree:.../*/ in turn", async () => {
    write("mounts/one/server.port", "81");
    write("mounts/two/admin.engine.token", "t0ken");
    write("mounts/..data/server.port", "82");
    write("mounts/file", "x");
    const { settings } = await load(["spring.config.import: configtree:mounts/*/"]);
    expect(settings).toMatchObject({ "server.port": 81, "admin.engine.token": "t0ken" });
  });
});

describe("D-SET 1: what is wrong with a config tree is reported with its place", () => {
  test("such as a missing folder, unless it is optional", async () => {
    expect(await problems(["", IMPORT])).toEqual([
      expect.stringMatching(
        /^FOLDER\/application\.yaml:2: spring\.config\.import: configtree:secrets\/: the folder cannot be read: ENOENT.*; write "optional:configtree:secrets\/" if it may be missing$/,
      ),
    ]);
    const lines = ["spring.config.import: optional:configtree:secrets/, optional:configtree:none/*/"];
    expect((await load(lines)).settings["server.port"]).toBe(8988);
  });

  test("such as an import that cannot be used, whichever source has it, once", async () => {
    const environment = { SPRING_CONFIG_IMPORT: "${NONE}" };
    expect(await problems(["spring.config.import: secrets"], { environment })).toEqual([
      expect.stringMatching(
        /^environment variable SPRING_CONFIG_IMPORT: spring\.config\.import: no value for \$\{NONE\}: /,
      ),
      expect.stringMatching(/application\.yaml:1: spring\.config\.import: must be a list of folders .*, is "secrets"$/),
    ]);
  });

  test("such as a file in place of the folder, even if it is optional", async () => {
    write("secrets", "x");
    expect(await problems(["spring.config.import: optional:configtree:secrets"])).toEqual([
      expect.stringContaining("the folder cannot be read: ENOTDIR"),
    ]);
  });

  test("such as a wrong value, which names the file; a secret one is not shown", async () => {
    write("secrets/server.port", "many\n");
    write("secrets/admin.engine.token", " \n");
    expect(await problems([IMPORT])).toEqual([
      'config tree file FOLDER/secrets/server.port: server.port: must be a whole number from 0 to 65535, is "many"',
      "config tree file FOLDER/secrets/admin.engine.token: admin.engine.token: must be text that is not empty",
    ]);
  });

  test.each([
    ["not UTF-8", new Uint8Array([0xff]), "the content is not UTF-8"],
    ["too large", "x".repeat(65_537), "the file is larger than 65536 bytes"],
  ])("such as a setting whose file is %s", async (_, content, reason) => {
    write("secrets/admin.engine.token", content);
    write("secrets/host", content);
    expect(await problems([IMPORT, "server.address: ${host}"])).toEqual([
      `config tree file FOLDER/secrets/admin.engine.token: admin.engine.token: ${reason}`,
      `FOLDER/application.yaml:2: server.address: \${host}: config tree file FOLDER/secrets/host: ${reason}`,
    ]);
  });

  test("such as a setting twice in a tree, and a removed one", async () => {
    write("secrets/server/port", "1");
    write("secrets/server.port", "2");
    write("secrets/security.oauth2.provider.audience", "x");
    expect(await problems([IMPORT])).toEqual([
      expect.stringMatching(/audience: .*is no longer supported; use "spring\.\S+\.audiences" instead$/),
      'config tree file FOLDER/secrets/server.port: "server.port" was already given by config tree file FOLDER/secrets/server/port',
    ]);
  });

  test.each([
    ["a folder that contains itself", () => symlinkSync(".", join(folder, "secrets/self")), "deeper than 16 levels"],
    [
      "a folder that holds very much",
      () => Array.from({ length: 1_001 }, (_, index) => write(`secrets/f${index}`, "")),
      "holds more than 1000 files",
    ],
  ])("such as %s", async (_, fill, reason) => {
    write("secrets/a", "");
    fill();
    expect(await problems([IMPORT])).toEqual([
      expect.stringContaining(`configtree:secrets/: the folder ${reason.startsWith("deeper") ? "is " : ""}${reason}`),
    ]);
  });

  test("and parseSettings, which reads no files, refuses to pass over an import", () => {
    expect(() => parseSettings(IMPORT, "application.yaml")).toThrow(
      "application.yaml: spring.config.import: config trees are read only where the file is read too",
    );
  });
});
