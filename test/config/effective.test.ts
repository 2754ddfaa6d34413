// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of settings look like those of templates
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type EffectiveSetting, effectiveSettings } from "../../src/config/effective.ts";
import { type SettingOverrides, traceSettings } from "../../src/config/load.ts";
import { SETTING_KEYS } from "../../src/config/settings.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "effective-"));
  mkdirSync(join(folder, "secrets"));
});

afterEach(() => rmSync(folder, { recursive: true }));

async function effective(text: string, overrides?: SettingOverrides): Promise<Map<string, EffectiveSetting>> {
  writeFileSync(join(folder, "application.yaml"), text);
  const loaded = await traceSettings(join(folder, "application.yaml"), overrides);
  return new Map(effectiveSettings(loaded).map((setting) => [setting.key, setting]));
}

describe("the effective configuration", () => {
  test("has every setting, with its default unless it is given", async () => {
    const settings = await effective("");
    expect([...settings.keys()]).toEqual(SETTING_KEYS.filter((key) => !key.includes("*")));
    expect(new Set([...settings.values()].map(({ from }) => from))).toEqual(new Set(["default"]));
    expect(settings.get("admin.engine.request-timeout")?.value).toBe("10s");
    expect(settings.get("admin.audit.file")?.value).toBeUndefined();
    expect(settings.get("security.uac.directory")?.value).toBe(folder);
  });

  test("has values as they were written, with the place that decided and those of placeholders", async () => {
    writeFileSync(join(folder, "secrets/admin.api.unknown-fields"), "ignore\n");
    const text = [
      "spring.config.import: configtree:secrets/",
      "admin.engine.request-timeout: PT5S",
      "admin.api.max-body-size: ${SIZE}",
      "admin.audit.file: audit.jsonl",
      "security.oauth2.provider.authorityMapping: { my.role: CONTROL_FIX_SESSION }",
    ];
    const overrides = {
      commandLine: ["--server.port=0", "--admin.api.projection-keys[0]=Desk"],
      environment: { SERVER_PORT: "1", SERVER_ADDRESS: "0.0.0.0", SIZE: "2MB" },
    };
    const settings = await effective(text.join("\n"), overrides);
    const file = join(folder, "application.yaml");
    const rows = [...settings.values()].filter(({ from }) => from !== "default");
    expect(rows.map(({ key, value, from }) => [key, value, from])).toEqual([
      ["server.port", "0", "command line --server.port"],
      ["server.address", "0.0.0.0", "environment variable SERVER_ADDRESS"],
      ["admin.api.max-body-size", "2MB", `${file}:3, environment variable SIZE`],
      ["admin.api.unknown-fields", "ignore", `config tree file ${join(folder, "secrets/admin.api.unknown-fields")}`],
      ["admin.api.projection-keys", '["Desk"]', "command line --admin.api.projection-keys[0]"],
      ["admin.engine.request-timeout", "PT5S", `${file}:2`],
      ["admin.audit.file", join(folder, "audit.jsonl"), `${file}:4`],
      ["security.oauth2.provider.authorityMapping.my.role", "CONTROL_FIX_SESSION", `${file}:5`],
      ["spring.config.import", "configtree:secrets/", `${file}:1`],
    ]);
  });
});

describe("D-SET 6: secrets are masked", () => {
  test("be they secret settings or what placeholders bring in from secrets", async () => {
    writeFileSync(join(folder, "secrets/some-password"), "hush");
    const text = [
      "spring.config.import: configtree:secrets/",
      "admin.engine.token: hush",
      "security.oauth2.provider.name: ${admin.engine.token}",
      "server.address: ${ADDRESS:${some-password}.example}",
    ];
    const settings = await effective(text.join("\n"));
    for (const key of ["admin.engine.token", "security.oauth2.provider.name", "server.address"]) {
      expect(settings.get(key)?.value).toBe("***");
    }
    expect(JSON.stringify([...settings])).not.toContain("hush");
  });
});
