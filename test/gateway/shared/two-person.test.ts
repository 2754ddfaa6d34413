import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { allow, basic, ruleDocument, userDocument } from "../../auth/access-files.ts";
import { type NatsCluster, startNatsCluster } from "../../support/nats-cluster.ts";
import { type RawReply, sendRaw } from "../../support/raw-http.ts";
import { until } from "../../support/until.ts";
import { InstallationFolder } from "../folder.ts";
import { startHeldEngine } from "../held-engine.ts";

const USERS = ["alice", "bob"];
const PATH = JSON.stringify({ projectionPath: "Account[GOLD]" });

let folder: InstallationFolder;
let store: NatsCluster;

beforeEach(async () => {
  store = await startNatsCluster(1);
  folder = new InstallationFolder();
  writeUsers(USERS);
  folder.write("uac-access-rules.xml", ruleDocument(...USERS.map((user) => allow(user, "*"))));
});

afterEach(async () => {
  await folder.close();
  await store.stop();
});

function writeUsers(users: readonly string[]): void {
  folder.write("uac-file-security.xml", userDocument(...users.map((user) => [user, `pw-${user}`] as const)));
}

function settings(name: string): string {
  return [
    `admin.gateway.name: ${name}`,
    `admin.shared.nats.url: ${store.urls}`,
    "admin.engine.request-timeout: 20s",
    "admin.policy.two-person: { operations: [resumeTrading], within: 5m, store: nats }",
  ].join("\n");
}

async function open(name: string, more = ""): Promise<string> {
  const { url } = await folder.start(`${settings(name)}\n${more}`);
  return url;
}

async function send(url: string, user: string, operation = "resume"): Promise<RawReply> {
  const path = `/api/admin/v1/trading/${operation}`;
  const headers = { "Content-Type": "application/json" };
  return sendRaw(url, { method: "POST", path, headers, body: PATH, authorization: basic(user, `pw-${user}`) });
}

/** Resumes once the gateway has found the store. */
function opened(times: number): Promise<unknown> {
  const isOpen = (): boolean => folder.logText().split("Approvals are shared by gateways").length > times;
  return until(isOpen, () => `the store is open:\n${folder.logText()}`);
}

describe("D-SHARE 1: two-person with store: nats", () => {
  it("lets one person ask at one gateway and the other one send at the next, over a restart of both; the log has server and bucket", async () => {
    const [a, b] = [await folder.start(settings("A")), await folder.start(settings("B"))];
    await opened(2);
    const asked = await send(a.url, "alice");
    expect([asked.status, asked.body]).toEqual([
      403,
      expect.stringContaining('requested by \\"alice\\" at gateway \\"A\\"'),
    ]);
    await a.close();
    await b.close();
    const again = await open("C");
    await opened(3);
    expect((await send(again, "bob")).status).toBe(200);
    expect(folder.log()).toContainEqual(
      expect.objectContaining({
        level: "warn",
        msg: "Approvals are shared by gateways, but kept on too few NATS servers to survive the loss of one",
        bucket: "trading-admin-asks",
        replicas: 1,
        server: expect.stringMatching(/^nats-server \d+\.\d+\.\d+/),
      }),
    );
  });

  it("does not count the request of a user who was removed since, at whatever gateway", async () => {
    const [a, b] = [await open("A"), await open("B")];
    await opened(2);
    expect((await send(a, "alice")).status).toBe(403);
    writeUsers(["bob"]);
    await until(async () => (await send(b, "alice", "halt")).status === 401, "the users were read again");
    expect((await send(b, "bob")).body).toContain(String.raw`requested by \"bob\" at gateway \"B\"`);
  });
});

describe("D-SHARE 3: without its store two-person refuses changes as not sent, and lets stops pass", () => {
  async function expectRefused(url: string): Promise<void> {
    const reply = await send(url, "bob");
    expect([reply.status, reply.headers["x-admin-outcome"]]).toEqual([500, "not-applied"]);
    expect(reply.body).toContain("The policy failed, the change was not sent");
    expect((await send(url, "bob", "halt")).status).toBe(200);
  }

  it("when the servers are killed, and it works again when they are back, without the request that a stop came after", async () => {
    const engine = await startHeldEngine();
    onTestFinished(() => engine.close());
    const [a, b] = [await open("A", engine.settings), await open("B", engine.settings)];
    await opened(2);
    await until(async () => (await send(a, "alice")).status === 403, "the gateway has found the engine");
    await store.nodes[0]?.crash();
    await expectRefused(b);
    await store.nodes[0]?.restart();
    await until(async () => (await send(b, "bob")).status === 403, "the store is available again", { everyMs: 200 });
    // Each gateway has its own link to the store, and until it is back refuses changes as not sent.
    await until(async () => (await send(a, "alice")).status === 200, "the other gateway sends the change");
  });

  it("when they hang", async () => {
    const b = await open("B");
    await opened(1);
    store.nodes[0]?.freeze();
    try {
      await expectRefused(b);
    } finally {
      store.nodes[0]?.thaw();
    }
  });

  it("when they cannot make it yet: it is opened as soon as they can, before anybody asks, and each reason is logged once", async () => {
    const cluster = await startNatsCluster(3);
    const [, ...others] = cluster.nodes;
    for (const node of others) node.freeze();
    try {
      const text = settings("D").replace(store.urls, cluster.nodes[0]?.url ?? "");
      await folder.start(text);
      await until(() => folder.logText().includes("APPROVALS UNAVAILABLE"), "it is logged");
      for (const node of others) node.thaw();
      const isOpen = () => folder.logText().includes("Approvals are shared by gateways");
      await until(isOpen, "the bucket is open", { limitMs: 60_000 });
    } finally {
      for (const node of others) node.thaw();
      await cluster.stop();
    }
    const reasons = [...folder.logText().matchAll(/"reason":"([^"]*)","msg":"APPROVALS UNAVAILABLE/g)].map(
      ([, reason]) => reason,
    );
    expect(reasons.filter((reason, at) => reason === reasons[at - 1])).toEqual([]);
  });

  it("when they are unreachable from the start, or have no JetStream, which is logged", async () => {
    const plain = await startNatsCluster(1, { jetstream: false });
    try {
      const text = settings("B").replace(store.urls, plain.urls);
      const gateway = await folder.start(text);
      await until(() => folder.logText().includes("APPROVALS UNAVAILABLE"), "it is logged");
      await expectRefused(gateway.url);
      const alone = await folder.start(settings("C").replace(store.urls, "nats://127.0.0.1:1"));
      await expectRefused(alone.url);
    } finally {
      await plain.stop();
    }
  });
});

describe("D-SHARE 4: two-person in the memory of a gateway", () => {
  it("is reported in the log at the start", async () => {
    await folder.start("admin.policy.two-person.operations: [resumeTrading]");
    expect(folder.log()).toContainEqual(
      expect.objectContaining({
        level: "warn",
        msg: expect.stringMatching(
          /both people must use the same gateway; with several gateways set admin\.policy\.two-person\.store: nats$/,
        ),
      }),
    );
  });

  it("with store: nats and no servers keeps the gateway from starting, with what to set", async () => {
    const yaml = "admin.policy.two-person: { operations: [resumeTrading], store: nats }";
    await expect(folder.start(yaml)).rejects.toThrow(
      "admin.policy.two-person.store: nats needs servers; give admin.shared.nats.url, or an engine on NATS",
    );
  });
});
