import { randomInt } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Below those that an operating system gives to who names none (Linux from 32,768, macOS and Windows from 49,152). */
const NEVER_GIVEN = [15_000, 32_000] as const;
const ATTEMPTS = 100;

/**
 * A port of the loopback address that nobody listens on, and that nobody gets by chance: it stays closed until the test listens on it, and is
 * free again for a server that restarts.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(...NEVER_GIVEN);
    if (await isFree(port)) return port;
  }
  throw new Error(`None of ${ATTEMPTS} ports between ${NEVER_GIVEN.join(" and ")} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, "127.0.0.1"), "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}

/** Whether somebody listens on a port of the loopback address. */
export function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      resolve(true);
      socket.destroy();
    });
  });
}
