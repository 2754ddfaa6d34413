import { mkdirSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { cursorOf } from "../../src/cli/completion/cursor.ts";
import { COMMAND, type Ended, requireCommand, run } from "./command.ts";
import { Installation } from "./installation.ts";

let installation: Installation;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
  mkdirSync(installation.workplace.file("bin"));
  symlinkSync(COMMAND, installation.workplace.file("bin/trading-admin"));
});

afterAll(() => installation.close());

async function candidates(...words: readonly string[]): Promise<string[]> {
  const { code, stdout } = await installation.run("completion", "candidates", "--", ...words);
  expect(code).toBe(0);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[0] ?? "");
}

describe("what may stand at the cursor", () => {
  it.each([
    ["commands", [""], expect.arrayContaining(["halt", "trading", "risk", "audit", "completion"])],
    ["the beginning of a command", ["pos"], ["positions"]],
    ["commands of a group", ["risk", ""], ["table", "update", "export", "plan", "apply"]],
    ["options", ["risk", "apply", "--y"], ["--yes"]],
    ["choices of an option", ["risk", "export", "-o", ""], ["yaml", "csv"]],
    ["gateways of the live installation", ["fix", "gateway", ""], ["OE1", "MD1", "RFQ1", "VENUES"]],
    [
      "sessions of the gateway that is typed",
      ["fix", "disable", "OE1", "FIX"],
      ["FIXCLIENT1", "FIXCLIENT2", "FIXCLIENT3"],
    ],
    ["names with blanks", ["fix", "session", "RFQ1", "EUR\\/USD\\ d"], ["EUR/USD desk"]],
    ["services", ["services", "disable", "--reason", "x", "VW"], ["VWAP"]],
    ["nothing for a file", ["risk", "plan", ""], []],
  ])("is completed: %s", async (_, words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });

  it("depends on the options typed before, and is nothing when no gateway responds", async () => {
    expect(await candidates("fix", "gateway", "--url", "http://127.0.0.1:1", "")).toEqual([]);
    const options = cursorOf(COMMANDS, ["fix", "gateway", "--profile=prod", "--user", "x", ""]).options;
    expect(options).toEqual({ profile: "prod", user: "x" });
  });
});

describe("the completion scripts", () => {
  /** What bash completes a line to, with the script loaded as its user loads it. */
  function completed(...words: readonly string[]): Promise<Ended> {
    const { workplace, environment } = installation;
    const assigned = Object.entries({ ...environment, PATH: `${workplace.file("bin")}:${process.env.PATH}` });
    const script = [
      ...assigned.map(([name, value]) => `export ${name}='${value}'`),
      'eval "$(trading-admin completion bash)"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an array of bash
      'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _trading_admin; printf "%s\\n" "${COMPREPLY[@]}"',
    ].join("\n");
    return run("bash", ["--norc", "-c", script, "bash", "trading-admin", ...words], workplace.path);
  }

  it("complete commands in bash, and live names in the quotes that they need", async () => {
    expect(await completed("fix", "gate")).toEqual({ code: 0, stdout: "gateways\ngateway\n", stderr: "" });
    expect((await completed("fix", "session", "RFQ1", "EUR")).stdout).toBe("EUR/USD\\ desk\n");
  });

  it.each([
    ["zsh", /^#compdef trading-admin\n[\s\S]*compdef _trading_admin trading-admin\n$/],
    ["fish", /complete -c trading-admin -a '\(__trading_admin_candidates\)'\n$/],
  ])(
    "ask the command in %s, with standard input closed so that nothing asks for a password",
    async (shell, pattern) => {
      const { stdout } = await installation.run("completion", shell);
      expect(stdout).toMatch(pattern);
      expect(stdout).toMatch(/trading-admin completion candidates|\$\{words\[1\]\} completion candidates/);
      expect(stdout).toContain("</dev/null");
    },
  );
});
