import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { adminHandler } from "../../src/http/node.ts";
import { startTestRig } from "../../src/testing/rig.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { credentials, openSuiteAuthentication } from "../support/access-files.ts";
import { EVERYTHING } from "../support/extent.ts";
import { HTTP_MOUNTS, type HttpMount, listenOn } from "../support/mounts.ts";
import { makeCertificates } from "../transports/support/certificates.ts";

const TRIES = EVERYTHING ? 20 : 5;

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Resolves when a server of this process accepts the next connection. */
function accepted(): Promise<void> {
  return new Promise((resolve) => {
    const note = (): void => {
      unsubscribe("net.server.socket", note);
      resolve();
    };
    subscribe("net.server.socket", note);
  });
}

/** Halts trading with the first request of a connection, and resets it as soon as the request is written. */
async function haltAndReset(url: string, authorization: string): Promise<void> {
  const { protocol, hostname, port, pathname } = new URL(url);
  const welcome = accepted();
  const socket = connect({ host: hostname, port: Number(port) });
  const stream = protocol === "https:" ? connectSecurely({ socket, rejectUnauthorized: false }) : socket;
  // The reset is what is tried here.
  for (const end of new Set([socket, stream])) end.on("error", () => {});
  await once(stream, stream === socket ? "connect" : "secureConnect");
  await welcome;
  const headers = `Host: x\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`;
  stream.write(`POST ${pathname}/trading/halt HTTP/1.1\r\n${headers}\r\n{}`, () => socket.resetAndDestroy());
  await once(socket, "close");
}

async function expectAddresses(
  url: string,
  authorization: string,
  records: () => readonly { stage?: unknown; address?: unknown }[],
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) await haltAndReset(url, authorization);
  const halts = (): readonly object[] => records().filter(({ stage }) => stage === "intent" || stage === "applied");
  await vi.waitFor(() => expect(halts()).toHaveLength(2 * TRIES), { timeout: 60_000 });
  expect(halts()).toEqual(Array(2 * TRIES).fill(expect.objectContaining({ address: "127.0.0.1" })));
}

describe("D-LOG 5: both records have the address of a caller that resets its connection right after a halt", () => {
  async function openRig() {
    const rig = await startTestRig();
    const authentication = await openSuiteAuthentication();
    closing.push(
      () => rig.close(),
      () => authentication.close(),
    );
    return { rig, authenticator: authentication.authenticator };
  }

  it.each(HTTP_MOUNTS.map((mount): [string, HttpMount] => [mount.name, mount]))("%s", async (_name, mount) => {
    const { rig, authenticator } = await openRig();
    const served = await listenOn(mount, rig.api, authenticator);
    closing.push(() => served.close());
    await expectAddresses(served.url, credentials("chief"), () => rig.audit.records);
  });

  it("node:https", async () => {
    const { rig, authenticator } = await openRig();
    const { cert, key } = (await makeCertificates()).engine;
    const server = createSecureServer({ cert, key }, adminHandler(rig.api, { authenticator })).listen(0, "127.0.0.1");
    await once(server, "listening");
    closing.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/api/admin/v1`;
    await expectAddresses(url, credentials("chief"), () => rig.audit.records);
  });

  it.each(["http", "https"])("the gateway, %s", async (scheme) => {
    const folder = new InstallationFolder();
    closing.push(() => folder.close());
    const { cert, key } = (await makeCertificates()).engine;
    folder.write("server.crt", cert);
    folder.write("server.key", key);
    const tls = "server.ssl.certificate: server.crt\nserver.ssl.certificate-private-key: server.key\n";
    const { url } = await folder.start(`admin.audit.file: audit.jsonl\n${scheme === "https" ? tls : ""}`);
    await expectAddresses(`${url}/api/admin/v1`, CHIEF, () => folder.lines("audit.jsonl"));
  });
});
