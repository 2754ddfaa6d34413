import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RawRequest, sendRaw } from "../support/raw-http.ts";
import { pathOf } from "../tls/stores.ts";
import { Connection, head } from "./connection.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";
import { startHeldEngine } from "./held-engine.ts";
import { callHttps, openTls } from "./https-call.ts";

const MAX = 16;
const SETTINGS = `server.shutdown.drain-time: 0\nserver.max-connections: ${MAX}\n`;
const HALT: RawRequest = { method: "POST", path: "/trading/halt", authorization: CHIEF };

let folder: InstallationFolder;
const closing: (() => unknown)[] = [];

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await folder.close();
});

/** Sends halts of names that nobody has, one after the other over a connection that is kept, until the test ends. */
function guess(url: string, guesser: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let isOver = false;
  closing.push(() => {
    isOver = true;
    agent.destroy();
  });
  const next = async (count: number): Promise<void> => {
    const authorization = `Basic ${btoa(`nobody-${guesser}-${count}:x`)}`;
    // Over loopback a connection could be opened again faster than any network allows.
    await sendRaw(url, { ...HALT, authorization }, agent).catch(() => pause(50));
    if (!isOver) await next(count + 1);
  };
  void next(0);
}

async function openSilent(open: () => Promise<{ destroy(): unknown }>, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += 1) {
    const connection = await open();
    closing.push(() => connection.destroy());
  }
}

describe("D-LOAD 9: no request in progress keeps a halt out of a full server", () => {
  it("not wrong logins that ask for halts", async () => {
    const url = `${(await folder.start(SETTINGS)).url}/api/admin/v1`;
    expect(await sendRaw(url, HALT)).toMatchObject({ status: 200 });
    for (let guesser = 0; guesser < MAX; guesser += 1) guess(url, guesser);
    for (let halt = 0; halt < 10; halt += 1) {
      await pause(100);
      // On a busy machine sixteen others may connect before the first byte is read: a caller who is dropped then tries once more.
      expect(await sendRaw(url, HALT).catch(() => sendRaw(url, HALT))).toMatchObject({ status: 200 });
    }
  });

  it("not a user's reads that hang at the engine", async () => {
    const engine = await startHeldEngine();
    closing.push(() => engine.close());
    folder.addUser("desk");
    const { url } = await folder.start(`${SETTINGS}${engine.settings}`);
    const desk = CHIEF.replace(/\S+$/, (encoded) => btoa(atob(encoded).replace("chief", "desk")));
    engine.gate.hold();
    closing.push(() => engine.gate.release());
    const readers = await Promise.all(Array.from({ length: MAX }, () => Connection.open(url)));
    closing.push(() => readers.map((reader) => reader.destroy()));
    for (const reader of readers) reader.write(head("GET", "/trading/status", `Authorization: ${desk}`));
    await expect.poll(() => engine.gate.seen.length).toBeGreaterThanOrEqual(MAX);
    const halting = sendRaw(`${url}/api/admin/v1`, HALT);
    const later = await Promise.all(Array.from({ length: MAX }, () => Connection.open(url)));
    closing.push(() => later.map((reader) => reader.destroy()));
    await expect.poll(() => engine.gate.seen.at(-1)?.method).toBe("haltTrading");
    engine.gate.release();
    expect(await halting).toMatchObject({ status: 200 });
  });

  it("not connections of a proxy without a login, which count as one address: who comes directly keeps two", async () => {
    const { url } = await folder.start(`${SETTINGS}server.trusted-proxies: 127.0.0.1\n`);
    await openSilent(() => Connection.open(url), MAX);
    const direct = [await Connection.open(url, "127.0.0.2"), await Connection.open(url, "127.0.0.2")];
    closing.push(() => direct.map((connection) => connection.destroy()));
    await openSilent(() => Connection.open(url), MAX);
    for (const connection of direct) {
      connection.write(head("GET", "/trading/status", `Authorization: ${CHIEF}`));
      await connection.until(/^HTTP\/1\.1 200/);
    }
  });

  it.each(["TLS connections without a request", "TCP connections without a handshake"])("not %s", async (what) => {
    const tls = `server.ssl.certificate: ${pathOf("rsa.pem")}\nserver.ssl.certificate-private-key: ${pathOf("rsa.key")}\n`;
    const { url } = await folder.start(`${SETTINGS}${tls}`);
    const opens = { TLS: () => openTls(url), TCP: () => Connection.open(url) };
    await openSilent(what.startsWith("TLS") ? opens.TLS : opens.TCP, 3 * MAX);
    for (let call = 0; call < 3; call += 1) expect(await callHttps(url)).toMatchObject({ status: 200 });
  });
});
