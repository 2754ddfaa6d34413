import { once } from "node:events";
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

const SCRIPT = `
const { parentPort, workerData } = require("node:worker_threads");
const { WebSocketServer } = require(workerData.ws);
const pings = new Int32Array(workerData.pings);
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, handleProtocols: () => "trading-admin.v1" });
server.on("connection", (socket) => socket.on("ping", () => {
  Atomics.add(pings, 0, 1);
  Atomics.notify(pings, 0);
}));
server.on("listening", () => parentPort.postMessage(server.address().port));
`;

/** An engine in its own thread: it answers pings while this thread is blocked. */
export interface WorkerEngine {
  readonly url: string;
  /** Stops this thread until the engine has answered that many pings. */
  blockUntilPinged(times: number): void;
  close(): Promise<unknown>;
}

export async function openWorkerEngine(): Promise<WorkerEngine> {
  const pings = new Int32Array(new SharedArrayBuffer(4));
  const ws = createRequire(import.meta.url).resolve("ws");
  const worker = new Worker(SCRIPT, { eval: true, workerData: { ws, pings: pings.buffer } });
  const [port] = await once(worker, "message");
  return {
    url: `ws://127.0.0.1:${port}`,
    blockUntilPinged: (times) => {
      for (let seen = Atomics.load(pings, 0); seen < times; seen = Atomics.load(pings, 0)) {
        if (Atomics.wait(pings, 0, seen, 20_000) === "timed-out") throw new Error("the engine was not pinged");
      }
    },
    close: () => worker.terminate(),
  };
}
