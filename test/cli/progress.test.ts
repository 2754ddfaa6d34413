import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { exampleReply } from "../support/example-reply.ts";
import { RealTerminal } from "../support/terminal.ts";
import { COMMAND, requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

const workplace = new Workplace();

beforeAll(requireCommand);

afterAll(() => workplace.close());

/** A gateway that takes its time. */
async function slowGateway(ms: number): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const halts = exampleReply("listHalts", { halts: [] });
    const body = url.endsWith("/halts") ? halts : exampleReply("getTradingStatus", { projectionPath: "" });
    setTimeout(() => response.end(JSON.stringify(body)), ms);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a command that takes longer than a second has a line that counts the seconds, and leaves nothing behind", async () => {
  const url = await slowGateway(2_500);
  const environment = { ...CLEAN_ENVIRONMENT, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "p" };
  const args = [COMMAND, "trading", "status", "--url", url];
  const terminal = new RealTerminal(process.execPath, args, { cwd: workplace.path, environment });
  onTestFinished(() => terminal.close());
  await terminal.until(/^waiting for http:\/\/127\.0\.0\.1:\d+, 1 s$/m);
  await terminal.until(/^waiting for http:\/\/127\.0\.0\.1:\d+, 2 s$/m);
  expect(await terminal.ended()).toBe(0);
  expect(terminal.screen()).not.toContain("waiting");
});

it("two requests share the line, and a warning takes its place", async () => {
  const server = createServer(({ url = "" }, response) => {
    const isFirst = url.endsWith("/halts");
    setTimeout(() => response.writeHead(401).end(), isFirst ? 2_500 : 4_000);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { ...CLEAN_ENVIRONMENT, TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "p" };
  const args = [COMMAND, "trading", "status", "--url", url];
  const terminal = new RealTerminal(process.execPath, args, { cwd: workplace.path, environment });
  onTestFinished(() => terminal.close());
  await terminal.until(/^waiting for http:\/\/127\.0\.0\.1:\d+, 2 s$/m);
  expect(await terminal.ended()).not.toBe(0);
  expect(terminal.screen()).toMatch(/^trading-admin: /m);
  expect(terminal.screen()).not.toMatch(/waiting|\Strading-admin: /);
});

it("a command writes no progress where standard error is not a terminal", async () => {
  const url = await slowGateway(1_500);
  const variables = { TRADING_ADMIN_USER: "desk", TRADING_ADMIN_PASSWORD: "p" };
  const { code, stderr } = await workplace.run(["call", "getTradingStatus", "--url", url], "", variables);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
