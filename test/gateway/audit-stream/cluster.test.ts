import { jetstreamManager, StorageType } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keptLog } from "../../../src/core/logger.ts";
import { StreamPublisher } from "../../../src/gateway/audit-stream/publisher.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { AuditFolder, ids } from "../../audit/folder.ts";
import { type NatsCluster, startNatsCluster } from "../../support/nats-cluster.ts";
import { until } from "../../support/until.ts";
import { streamMessages } from "./jetstream.ts";

const STREAM = "audit-test";

let cluster: NatsCluster;
let folder: AuditFolder;

beforeEach(async () => {
  cluster = await startNatsCluster(3);
  folder = new AuditFolder();
});

afterEach(async () => {
  await folder.close();
  await cluster.stop();
});

async function connected<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: cluster.urls.split(",") });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

it("D-LOG 20, D-LOG 21: on three servers the stream has three replicas; its leader is killed, no record waits, and none is missing or there twice", async () => {
  const audit = await folder.open();
  const { log, problems } = keptLog();
  const nats = new SharedNats({ servers: cluster.urls.split(",") }, () => {});
  nats.start();
  const last = () => audit.last;
  const publisher = new StreamPublisher({ path: audit.path, stream: STREAM, gateway: "gw-1", last, nats, log });
  publisher.start();
  try {
    await folder.write(audit, ids(20));
    await until(() => publisher.behind === 0, "the stream has the first records");
    const { config } = await connected(async (connection) => (await jetstreamManager(connection)).streams.info(STREAM));
    const kept = { storage: StorageType.File, deny_delete: true, deny_purge: true };
    expect(config).toMatchObject({ ...kept, num_replicas: 3, subjects: ["audit.*"] });
    const leader = await cluster.leaderOf(STREAM);
    await leader.crash();
    for (const id of ids(50, 21)) await folder.write(audit, [id]);
    await until(() => publisher.behind === 0, "the stream has caught up without its leader");
    const messages = await connected((connection) => streamMessages(connection, STREAM));
    expect(messages.map(({ data }) => `${Buffer.from(data).toString()}\n`).join("")).toBe(folder.text());
    expect(await cluster.leaderOf(STREAM)).not.toBe(leader);
    expect(problems.filter((problem) => !problem.includes("AUDIT STREAM AWAY"))).toEqual([]);
  } finally {
    await publisher.close();
    await nats.close();
  }
}, 180_000);
