import { connect, type NatsConnection } from "@nats-io/transport-node";
import type { EngineRequest } from "../../../src/core/engine/transport.ts";
import { decodeParams } from "../../../transports/json-rpc/requests.ts";
import { NatsTransport } from "../../../transports/nats.ts";
import { knownEngineClock } from "../../support/engine-clock.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { until } from "../../support/until.ts";
import type { Behaviour, Peer } from "./peer.ts";

/** Opens a way over a NATS server whose engine's end is scripted; the gateway's end goes through a proxy that can cut it. */
export async function openNatsPeer(serverUrl: string, subjectPrefix: string): Promise<Peer> {
  const seen: EngineRequest[] = [];
  let behaviour: Behaviour = () => {};
  const serve = async (): Promise<NatsConnection> => {
    const connection = await connect({ servers: serverUrl });
    connection.subscribe(`${subjectPrefix}.*`, {
      callback: (_error, message) => {
        const request = decodeParams(message.subject.slice(subjectPrefix.length + 1), message.json());
        seen.push(request);
        behaviour({
          request,
          answer: (body) => void message.respond(JSON.stringify(body)),
          garbage: () => void message.respond('{"result":{"na'),
        });
      },
    });
    await connection.flush();
    return connection;
  };
  let engine = await serve();
  const proxy = await startTcpProxy(Number(new URL(serverUrl).port));
  const transport = new NatsTransport({
    engineClock: knownEngineClock(),
    servers: `nats://127.0.0.1:${proxy.port}`,
    subjectPrefix,
  });
  await transport.start();
  await until(() => transport.state === "up", "the link is up");
  return {
    transport,
    seen,
    behave: (next) => {
      behaviour = next;
    },
    cut: async () => {
      proxy.refuse();
      proxy.destroyAll();
      await until(() => transport.state === "down", "the link is down");
    },
    mend: async () => {
      proxy.accept();
      await until(() => transport.state === "up", "the link is up");
    },
    restart: async () => {
      await engine.close();
      engine = await serve();
    },
    close: async () => {
      await transport.close();
      await engine.close();
      await proxy.close();
    },
  };
}
