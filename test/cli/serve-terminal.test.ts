import { afterAll, beforeAll, expect, it } from "vitest";
import { sendRaw } from "../support/raw-http.ts";
import type { RealTerminal } from "../support/terminal.ts";
import { requireCommand } from "./command.ts";
import { Installation, PASSWORD } from "./installation.ts";
import { onScreen } from "./screen.ts";

let installation: Installation;
let screen: RealTerminal;

beforeAll(async () => {
  requireCommand();
  installation = await Installation.open();
  screen = onScreen(installation, ["serve", "--config", "application.yaml"], { columns: 160, rows: 50 });
});

afterAll(async () => {
  screen.close();
  await installation.close();
});

it("D-LOG 26: serve on a terminal shows a command and its request in short lines, without JSON", async () => {
  const url = /listening on (\S+)/.exec(await screen.until(/listening on \S+\d\n?/))?.[1] ?? "";
  const authorization = `Basic ${Buffer.from(`desk:${PASSWORD}`).toString("base64")}`;
  const headers = { "Content-Type": "application/json" };
  const body = '{"reason":"limit breach"}';
  const path = "/api/admin/v1/trading/halt";
  expect(await sendRaw(url, { method: "POST", path, body, headers, authorization })).toMatchObject({ status: 200 });
  await screen.until(/Z haltTrading by desk: intent reason="limit breach"/);
  await screen.until(/Z haltTrading by desk: applied reason="limit breach"/);
  const text = await screen.until(/Z POST haltTrading: 200 user=desk durationMs=/);
  expect(text).not.toMatch(/\{"|"level"/);
});
