import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands/table.ts";
import { ADMIN_ERRORS } from "../../src/core/errors.ts";
import { WARNING } from "../../src/core/logger.ts";
import { extensionNames } from "../../src/core/operations/extensions.ts";
import { operationNames } from "../../src/core/operations/table.ts";
import { PERMISSIONS } from "../../src/core/principal.ts";
import { placedCommands } from "../cli/reference/tree.ts";
import { alertRules } from "../deploy/monitoring-files.ts";
import { readText } from "./bus-files.ts";
import { PAGES } from "./pages.ts";

/** Names in capitals that are neither errors nor permissions: variables of the environment, states of health checks, POSIX. */
const OTHERS =
  /^(?:TRADING_ADMIN|SERVER|SPRING|ADMIN|NODE|SCARF|UPDATE|KEYSTORE|OUT_OF|CLOCK|BASE|DOCKER|OPERATOR|RISKDESK|BOT|MAX|BOB|NATS|SITE|PUBLISH)_\w+$|^(?:ENGINE_(?:HOST|TOKEN|TRANSPORT)|NO_COLOR|[A-Z]+_PROGRAM)$/;

/** Pages that tell of what was, or of what is yet to come. */
const HISTORY = ["CHANGELOG.md", "docs/specification.md"];
const CURRENT = PAGES.filter((page) => !HISTORY.includes(page));

const CONSTANTS: ReadonlySet<string> = new Set([...Object.keys(ADMIN_ERRORS), ...PERMISSIONS]);

/** The texts in backticks of a page that match. */
function quotedIn(page: string, pattern: RegExp): string[] {
  const spans = [...readText(page).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return [...new Set(spans.filter((span) => pattern.test(span)))];
}

/** The metrics that the generated table lists. */
const METRICS = new Set(
  [...readText("docs/operate/monitoring.md").matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram)/gm)].map(
    ([, name]) => name,
  ),
);
const ALERTS = new Set(alertRules().map(({ alert }) => alert));

/** What stands behind `trading-admin` where a page shows it to be typed, up to the first argument or option. */
function commandsIn(text: string): string[] {
  const typed = [
    ...text.matchAll(/^ *(?:\$ )?(?:npx )?trading-admin((?: [a-z][a-z-]*)+)|`trading-admin((?: [a-z][a-z-]*)+)/gm),
  ];
  return typed.map(([, line, span]) => `trading-admin${line ?? span}`);
}

function isCommand(words: string): boolean {
  return placedCommands(COMMANDS).some(({ line }) => `${words} `.startsWith(`${line} `));
}

describe("names in the documents", () => {
  it.each(CURRENT)("%s names errors and permissions that exist", (page) => {
    const unknown = quotedIn(page, /^[A-Z]+(?:_[A-Z]+)+$/).filter((name) => !CONSTANTS.has(name) && !OTHERS.test(name));
    expect(unknown).toEqual([]);
  });

  it.each(CURRENT)("%s names metrics and alerts that exist", (page) => {
    const metrics = quotedIn(page, /^trading_admin_\w+$/).filter((name) => !METRICS.has(name));
    const alerts = quotedIn(page, /^TradingAdmin[A-Z]\w+$/).filter((name) => name !== WARNING && !ALERTS.has(name));
    expect([...metrics, ...alerts]).toEqual([]);
  });

  it.each(CURRENT)("%s names files and folders of the project that exist", (page) => {
    const paths = quotedIn(page, /^(?:src|test|docs|deploy|examples|transports)\/[\w./-]+$/);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it.each(CURRENT)("%s calls operations by their names", (page) => {
    const called = [...readText(page).matchAll(/trading-admin call (\w+)/g)].map(([, name = ""]) => name);
    const names: readonly string[] = [...operationNames, ...extensionNames];
    expect(called.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(CURRENT)("%s names commands that exist", (page) => {
    expect(commandsIn(readText(page)).filter((words) => !isCommand(words))).toEqual([]);
  });

  it("a name that does not exist is found", () => {
    expect(commandsIn("$ trading-admin trading pause now\n`trading-admin halt`").map(isCommand)).toEqual([false, true]);
    expect([CONSTANTS.has("ENGINE_TIMED_OUT"), OTHERS.test("ENGINE_TIMED_OUT")]).toEqual([false, false]);
    expect([METRICS.size > 25, METRICS.has("trading_admin_ready"), ALERTS.has("TradingAdminGone")]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
