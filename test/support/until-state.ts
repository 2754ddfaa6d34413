import type { EngineTransport } from "../../src/core/engine/transport.ts";

/** Waits until a transport sees its link so. */
export async function untilState(transport: EngineTransport, state: EngineTransport["state"]): Promise<void> {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    if (transport.state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`the link is not ${state}`);
}
