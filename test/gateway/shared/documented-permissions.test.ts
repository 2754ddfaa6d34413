import { readFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { keptLog } from "../../../src/core/logger.ts";
import { StreamPublisher } from "../../../src/gateway/audit-stream/publisher.ts";
import { NatsApprovals } from "../../../src/gateway/shared/nats-approvals.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { AuditFolder, ids } from "../../audit/folder.ts";
import { until } from "../../support/until.ts";
import { JetStreamServer } from "../audit-stream/jetstream.ts";

const PAGE = readFileSync(new URL("../../../docs/deploy/engine-link.md", import.meta.url), "utf8");
const PASSWORD = "hush";

/** Subjects in backticks, by column, of the row with this name. */
function subjectsOf(row: string): string[][] {
  const line = PAGE.split("\n").find((text) => text.startsWith(`| ${row} `)) ?? "";
  return line
    .split("|")
    .slice(2)
    .map((column) => [...column.matchAll(/`([^`]+)`/g)].map(([, subject = ""]) => subject));
}

/** The connection of a gateway that may do what the page says for a setting, and nothing else. */
async function connected(setting: string): Promise<SharedNats> {
  const [publish = [], subscribe = []] = subjectsOf("gateway");
  const [more = []] = subjectsOf(setting);
  const permissions = JSON.stringify({ publish: [...publish, ...more], subscribe });
  const server = await JetStreamServer.start(
    `authorization { users: [ { user: "gateway", password: "${PASSWORD}", permissions: ${permissions} } ] }`,
  );
  onTestFinished(() => server.stop());
  const nats = new SharedNats({ servers: server.url, user: "gateway", password: PASSWORD }, () => {});
  onTestFinished(() => nats.close());
  expect(more).not.toEqual([]);
  return nats;
}

it("docs/deploy/engine-link.md: with the permissions for admin.audit.stream a gateway makes the stream and publishes its records", async () => {
  const nats = await connected("`admin.audit.stream: trading-admin-audit`");
  const folder = new AuditFolder();
  onTestFinished(() => folder.close());
  const audit = await folder.open();
  const { log, problems } = keptLog();
  const options = { path: audit.path, stream: "trading-admin-audit", gateway: "gateway-1", last: () => audit.last };
  const publisher = new StreamPublisher({ ...options, nats, log });
  publisher.start();
  onTestFinished(() => publisher.close());
  nats.start();
  await folder.write(audit, ids(3));
  await expect.poll(() => publisher.behind, { timeout: 10_000 }).toBe(0);
  expect(problems).toEqual([]);
});

it("docs/deploy/engine-link.md: with the permissions for the store of two-person requests a gateway makes and uses the bucket", async () => {
  const nats = await connected("`admin.policy.two-person.store: nats`");
  const store = new NatsApprovals(nats, { withinMs: 60_000, stepMs: 5_000, log: keptLog().log });
  nats.start();
  await until(() => nats.connection, "the gateway is connected");
  const request = { command: "resume", user: "alice", requestId: "1", at: Date.now() };
  const revision = await store.put(request);
  expect(await store.list("resume")).toMatchObject([{ request, revision }]);
  expect(await store.take(revision, { user: "bob", requestId: "2", at: Date.now() })).toBeUndefined();
});
