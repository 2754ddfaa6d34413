import { connect } from "node:net";

/** First bytes of a NATS server, which speaks first. */
const INFO = "INFO ";

/**
 * Probes an address for the greeting of a NATS server. Needed before the client connects: if a server accepts its connection and
 * stays silent, the client times out but leaks the socket (3.3.1).
 */
export function probeServer(host: string, port: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let heard = "";
    const socket = connect({ host, port });
    const abort = (): void => void socket.destroy(new Error("it is not asked any more"));
    signal.addEventListener("abort", abort);
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`it said nothing within ${timeoutMs} ms`)));
    socket.on("data", (data) => {
      heard += data.toString("latin1");
      if (heard.length >= INFO.length) socket.destroy();
    });
    socket.once("error", reject);
    socket.once("close", () => {
      signal.removeEventListener("abort", abort);
      if (heard.startsWith(INFO)) resolve();
      else if (heard === "") reject(new Error("it closed the connection without a word"));
      else reject(new Error("it is not a NATS server, or wants TLS from the first byte"));
    });
  });
}
