import { randomInt } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Listens at an address of this machine that was drawn at random, and returns its origin. At `127.0.0.1` another user may have had
 * the port before, and have left a service worker in the browser, which would then have these pages. Systems that have no other
 * loopback address, such as macOS, get `127.0.0.1`.
 */
export async function listenAtLoopback(server: Server): Promise<string> {
  const drawn = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  try {
    return await listen(server, drawn);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRNOTAVAIL") throw error;
    return listen(server, "127.0.0.1");
  }
}

async function listen(server: Server, address: string): Promise<string> {
  await once(server.listen(0, address), "listening");
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}
