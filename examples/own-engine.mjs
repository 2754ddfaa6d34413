// Your own engine: one class with a method for each operation, on a WebSocket for gateways.
//
//   npm install trading-admin-api
//   node own-engine.mjs
//
// PORT chooses the port; a gateway reaches it with `admin.engine.transport: websocket` and the printed URL and token.
import { once } from "node:events";
import { parseProjectionPath, printProjectionPath } from "trading-admin-api";
import { EngineRejection, serveEngine } from "trading-admin-api/engine";
import { openWebSocketBus } from "trading-admin-api/transports/websocket";

/** The key of the node that a path names: segments in another order name the same one. */
function nodeOf(path) {
  try {
    return printProjectionPath(parseProjectionPath(path).sort((a, b) => (a.key < b.key ? -1 : 1)));
  } catch (error) {
    throw new EngineRejection("rejected", `projectionPath: ${error.message}`);
  }
}

class KillSwitchEngine {
  #states = new Map();

  getTradingStatus({ projectionPath }) {
    return { projectionPath, ...(this.#states.get(nodeOf(projectionPath)) ?? { halted: false, reason: null }) };
  }

  haltTrading({ projectionPath, reason }, { user }) {
    this.#states.set(nodeOf(projectionPath), { halted: true, reason });
    console.log(`${user} halts ${projectionPath || "everything"}: ${reason}`);
    return null;
  }

  resumeTrading({ projectionPath, reason }) {
    this.#states.set(nodeOf(projectionPath), { halted: false, reason });
    return null;
  }

  listServices() {
    return [];
  }
}

// What this engine does not do is refused, and nothing is changed.
const engine = new Proxy(new KillSwitchEngine(), {
  get: (target, name) =>
    target[name]?.bind(target) ??
    (() => {
      throw new EngineRejection("unsupported", `This engine does not support ${String(name)}`);
    }),
});

const token = process.env.ENGINE_TOKEN ?? "change-me";
const bus = await openWebSocketBus({ port: Number(process.env.PORT ?? 8989), host: "127.0.0.1", token });
await serveEngine(engine, bus);
const ended = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
console.log(`listening on ${bus.url}`);
await ended;
await bus.close();
