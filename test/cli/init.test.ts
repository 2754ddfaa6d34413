import { readdirSync, readFileSync, statSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { configurationTemplate } from "../../src/cli/init.ts";
import { effectiveSettings } from "../../src/config/effective.ts";
import { parseSettings, traceSettings } from "../../src/config/load.ts";
import { SETTING_KEYS, settingInfo } from "../../src/config/settings.ts";
import { sendRaw } from "../support/raw-http.ts";
import { requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

const FILES = ["application.yaml", "operator.password", "uac-access-rules.xml", "uac-file-security.xml"];

let workplace: Workplace;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
});

afterEach(() => workplace.close());

describe("init: a new installation in an empty folder", () => {
  it("writes files that serve starts from, with one user who may do everything; only the owner can read them", async () => {
    const { code, stdout, stderr } = await workplace.run(["init"]);
    expect(code).toBe(0);
    expect(stdout.trim().split("\n").toSorted()).toEqual(FILES);
    expect(readdirSync(workplace.path).toSorted()).toEqual(FILES);
    for (const file of FILES) expect([file, statSync(workplace.file(file)).mode & 0o777]).toEqual([file, 0o600]);
    const password = readFileSync(workplace.file("operator.password"), "utf8").trim();
    expect(stdout + stderr + readFileSync(workplace.file("uac-file-security.xml"), "utf8")).not.toContain(password);
    expect(await workplace.run(["check-config", "--config", "application.yaml"])).toMatchObject({ code: 0 });
    const serving = await workplace.serve("--config", "application.yaml", "--server.port=0");
    const halted = await sendRaw(`${serving.url}/api/admin/v1`, {
      method: "POST",
      path: "/trading/halt",
      authorization: `Basic ${Buffer.from(`operator:${password}`).toString("base64")}`,
    });
    expect(halted.status).toBe(200);
    expect(readFileSync(workplace.file("audit.jsonl"), "utf8")).toContain('"operation":"haltTrading"');
  });

  it.each([
    [
      "application.yaml",
      ["operator.password", "uac-access-rules.xml", "uac-file-security.xml"],
      /^application\.yaml is there already and stays as it is$/m,
    ],
    [
      "uac-*.xml",
      ["application.yaml"],
      /^uac-file-security\.xml and uac-access-rules\.xml are there already and stay/m,
    ],
  ])("makes what is missing beside %s, which stays", async (_, made, message) => {
    const mine = FILES.filter((file) => !made.includes(file) && file !== "operator.password");
    for (const file of mine) workplace.write(file, "mine\n");
    const { code, stdout, stderr } = await workplace.run(["init"]);
    expect([code, stdout.trim().split("\n").toSorted()]).toEqual([0, made]);
    expect(stderr).toMatch(message);
    for (const file of mine) expect(readFileSync(workplace.file(file), "utf8")).toBe("mine\n");
    expect(stderr.includes("The password of operator")).toBe(made.includes("operator.password"));
  });

  it("writes nothing a second time", async () => {
    await workplace.run(["init"]);
    const { code, stdout, stderr } = await workplace.run(["init"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/nothing was written: application\.yaml, .* are there already; use another folder$/m);
  });

  it.each(FILES.slice(1))("writes nothing when there is %s alone, and says so", async (file) => {
    workplace.write(file, "mine\n");
    const { code, stdout, stderr } = await workplace.run(["init"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `trading-admin: nothing was written: ${file} is there already, and access files are written together; use another folder\n`,
    );
    expect(readdirSync(workplace.path)).toEqual([file]);
    expect(readFileSync(workplace.file(file), "utf8")).toBe("mine\n");
  });

  it.each(["../eve", "a:b", '"x"', ""])(
    "refuses a user who cannot be a file, an attribute and a login: %j",
    async (user) => {
      const { code, stderr } = await workplace.run(["init", "--user", user]);
      expect([code, readdirSync(workplace.path)]).toEqual([2, []]);
      expect(stderr).toMatch(/^trading-admin: --user: must be /);
    },
  );
});

describe("init: the commented application.yaml", () => {
  it("takes the settings of the five-minute start at its end, for an engine in its own process", async () => {
    const page = readFileSync(new URL("../../docs/operate/start.md", import.meta.url), "utf8");
    const recipe = /```yaml\n(admin\.engine\.transport: [^`]*)```/.exec(page)?.[1] ?? "";
    await workplace.run(["init"]);
    const written = readFileSync(workplace.file("application.yaml"), "utf8");
    workplace.write("application.yaml", `${written}${recipe}`);
    const { code, stdout, stderr } = await workplace.run(["check-config", "--config", "application.yaml", "--changed"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^ *admin\.engine\.transport +websocket /m);
    expect(stdout).toMatch(/^ *admin\.audit\.file .*audit\.jsonl/m);
  });

  it("has every setting; what is commented out changes nothing when it comes in", async () => {
    const text = configurationTemplate({ "server.port": "8988" });
    const settings = text.split("\n").filter((line) => /^#?[a-z]/.test(line));
    expect(settings.map((line) => line.replace(/^#|:.*$/g, ""))).toEqual(
      SETTING_KEYS.map((key) => key.replace("*", "NAME")),
    );
    // What restricts has to be given a value when it comes in, before what says more about it (D-UAC 20).
    const lacksValue = (key: string | undefined): boolean => settings.includes(`#${key}:`);
    const needsValue = SETTING_KEYS.filter((key) => {
      const { restricts, partOf } = settingInfo(key);
      return (restricts && lacksValue(key)) || lacksValue(partOf);
    });
    const active = settings
      .filter((line) => !line.includes("NAME") && !needsValue.some((key) => line.startsWith(`#${key}:`)))
      .map((line) => line.replace(/^#/, ""));
    workplace.write("application.yaml", active.join("\n"));
    const loaded = await traceSettings(workplace.file("application.yaml"));
    expect(effectiveSettings(loaded).filter(({ changed }) => changed)).toEqual([]);
    expect(parseSettings(text, workplace.file("application.yaml"))).toEqual(loaded.settings);
  });

  it("says what each setting means, and what it may be", () => {
    const words = configurationTemplate({}).replaceAll(/\n# /g, " ");
    for (const key of SETTING_KEYS) expect(words).toContain(settingInfo(key).meaning);
  });
});
