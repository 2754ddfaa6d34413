import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { allow, ruleDocument, userDocument } from "../auth/access-files.ts";
import type { RealTerminal } from "../support/terminal.ts";
import { type Ended, requireCommand, type Serving } from "./command.ts";
import { onScreen } from "./screen.ts";
import { Workplace } from "./workplace.ts";

const NAMES = ["alice", "bob"];
const TWO_PERSON = "--admin.policy.two-person.operations=resumeTrading";

let workplace: Workplace;
let engine: Serving;
let gateway: Serving;

beforeAll(async () => {
  requireCommand();
  workplace = new Workplace();
  workplace.write("uac-file-security.xml", userDocument(...NAMES.map((name) => [name, `pw-${name}`] as const)));
  workplace.write("uac-access-rules.xml", ruleDocument(...NAMES.map((name) => allow(name, "*"))));
  workplace.write("token", "a-token-that-nobody-guesses\n");
  engine = await startEngine("ws://127.0.0.1:0");
  workplace.write(
    "application.yaml",
    [
      "server.port: 0",
      "admin.engine.transport: websocket",
      `admin.engine.url: ${engine.url}`,
      "admin.engine.token: a-token-that-nobody-guesses",
    ].join("\n"),
  );
  gateway = await workplace.serve("--config", "application.yaml", TWO_PERSON);
});

afterAll(() => workplace.close());

function startEngine(url: string): Promise<Serving> {
  return workplace.engine("--listen", url, "--token-file", "token");
}

function environmentOf(user: string, { url }: Serving): Record<string, string> {
  return { TRADING_ADMIN_URL: url, TRADING_ADMIN_USER: user, TRADING_ADMIN_PASSWORD: `pw-${user}` };
}

function resume(user: string, path: string, through = gateway): Promise<Ended> {
  return workplace.run(["resume", path, "--yes", "--wait"], "", environmentOf(user, through));
}

/** A drill of alice's in a terminal, once it waits for a second person. */
async function waitingDrill(path: string, through = gateway): Promise<RealTerminal> {
  const args = ["drill", path, "--yes"];
  const environment = environmentOf("alice", through);
  const terminal = onScreen({ workplace, environment }, args, { columns: 250, rows: 60 });
  onTestFinished(() => terminal.close());
  await terminal.until(/^the drill waits for that until/m);
  return terminal;
}

it("D-CLI 10: a drill during which the engine forgot the halt proves nothing, and its evidence says what happened", async () => {
  const terminal = await waitingDrill("Account[FORGOTTEN]");
  await engine.stop("SIGTERM");
  engine = await startEngine(engine.url);
  expect(await terminal.ended()).toBe(7);
  const page = terminal.text();
  expect(page).toContain("| Result | **failed** |");
  expect(page).toMatch(/^\| resumeTrading \| not-proven \|/m);
  expect(page).toMatch(
    /not proven: no longer halted, but no second person's resume is recorded here; Account\[FORGOTTEN\] is no longer halted at the engine \(halted \d\d:\d\d:\d\d by alice: Drill [\da-f]{6}\)$/m,
  );
  expect(page).not.toContain("Second person");
});

it("D-CLI 10: a resume past the two people, as at the engine, does not end a drill as proven", async () => {
  const other = await workplace.serve("--config", "application.yaml");
  const terminal = await waitingDrill("Account[PAST]");
  const resumed = await resume("bob", "Account[PAST]", other);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(await terminal.ended()).toBe(7);
  expect(terminal.text()).toMatch(/not proven: no longer halted, but no second person's resume is recorded here$/m);
});

it("D-CLI 10: where the gateway's records cannot be read, a drill with a second person is not proven, and says why", async () => {
  const other = await workplace.serve("--config", "application.yaml", TWO_PERSON, "--gateway.console.enabled=false");
  const terminal = await waitingDrill("Account[UNSEEN]", other);
  await resume("bob", "Account[UNSEEN]", other);
  expect(await terminal.ended()).toBe(7);
  expect(terminal.text()).toMatch(
    /not proven: no longer halted, but by whom could not be read from the gateway's console$/m,
  );
});

it("D-CLI 10: a drill that a second person ends has that person in its evidence, and says last on the terminal that it passed", async () => {
  const terminal = await waitingDrill("Account[TEST]");
  expect((await resume("bob", "Account[TEST]")).stdout).toMatch(/^approves +alice's request/m);
  expect(await terminal.ended()).toBe(0);
  const text = terminal.text();
  expect(text).toMatch(/^resume trading at Account\[TEST\]: done by bob as second person, the engine shows it$/m);
  expect(text).toContain("| Result | **passed** |");
  expect(text).toContain("| Second person | bob |");
  expect(text).toMatch(/^\| resumeTrading \| done \|/m);
  expect(text).toMatch(/\nthe drill passed$/);
});
