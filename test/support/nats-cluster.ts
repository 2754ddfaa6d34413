import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type NatsServer, startNatsServer } from "./nats-server.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

/** Servers with JetStream, in one cluster where there are several. */
export interface NatsCluster {
  readonly nodes: readonly NatsServer[];
  /** All servers, as `admin.shared.nats.url` has them. */
  readonly urls: string;
  /** The node that leads a stream. */
  leaderOf(stream: string): Promise<NatsServer>;
  stop(): Promise<void>;
}

/** Starts so many servers, and waits until streams can be made on them, unless they are without JetStream. */
export async function startNatsCluster(size: number, { jetstream = true } = {}): Promise<NatsCluster> {
  const folder = await mkdtemp(join(tmpdir(), "nats-cluster-"));
  const routes = await Promise.all(Array.from({ length: size }, freePort));
  const nodes = await Promise.all(
    routes.map((port, at) => {
      const store = jetstream ? `jetstream { store_dir: "${join(folder, `node-${at}`)}" }` : "";
      return startNatsServer({ configuration: [`server_name: node-${at}`, store, clusterOf(port, routes)].join("\n") });
    }),
  );
  const urls = nodes.map(({ url }) => url).join(",");
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  const leaderOf = async (stream: string): Promise<NatsServer> => {
    const name = await withManager(urls, async (manager) => (await manager.streams.info(stream)).cluster?.leader);
    const leader = nodes[Number(name?.replace("node-", ""))];
    if (!leader) throw new Error(`${stream} has no leader: ${name}`);
    return leader;
  };
  try {
    if (jetstream) await until(() => isReady(urls), "the servers keep streams", { limitMs: 60_000, everyMs: 50 });
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, urls, leaderOf, stop };
}

function clusterOf(port: number, routes: readonly number[]): string {
  const all = routes.map((route) => `"nats-route://127.0.0.1:${route}"`).join(", ");
  return routes.length > 1 ? `cluster { name: test, listen: "127.0.0.1:${port}", routes: [${all}] }` : "";
}

/** Whether a stream can be made on all servers. */
async function isReady(urls: string): Promise<boolean> {
  try {
    return await withManager(urls, async (manager) => {
      await manager.streams.add({ name: "ready", subjects: ["ready"], num_replicas: urls.split(",").length });
      return manager.streams.delete("ready");
    });
  } catch {
    return false;
  }
}

async function withManager<T>(
  urls: string,
  use: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await connect({ servers: urls.split(","), timeout: 2_000 });
  try {
    return await use(await jetstreamManager(connection, { timeout: 2_000 }));
  } finally {
    await connection.close();
  }
}
