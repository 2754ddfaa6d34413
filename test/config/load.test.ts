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
