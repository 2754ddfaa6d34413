import { copyFileSync, renameSync, writeFileSync } from "node:fs";
import { Agent } from "node:https";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { PASSWORD, pathOf, textOf } from "../tls/stores.ts";
import { InstallationFolder } from "./folder.ts";
import { callHttps, type HttpsReply, openTls, WARY } from "./https-call.ts";

/** Files are looked at every two seconds. */

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Puts a file of the stores into the folder under another name, all together. */
function place(name: string, as: string): void {
  copyFileSync(pathOf(name), folder.file(`${as}.new`));
  renameSync(folder.file(`${as}.new`), folder.file(as));
}

async function startWithStore(): Promise<Gateway> {
  place("modern-rsa.p12", "gateway.p12");
  return folder.start(`server.ssl.key-store: gateway.p12\nserver.ssl.key-store-password: ${PASSWORD}`);
}

async function startWithPem(more = ""): Promise<Gateway> {
  place("rsa.pem", "gateway.pem");
  place("rsa.key", "gateway.key");
  place("client-root.pem", "clients.pem");
  return folder.start(`server.ssl.certificate: gateway.pem\nserver.ssl.certificate-private-key: gateway.key\n${more}`);
}

const serverOf = async ({ url }: Gateway): Promise<string> => (await callHttps(url, WARY)).server;

function errors(): unknown[] {
  return folder.log().flatMap(({ level, msg }) => (level === "error" ? [msg] : []));
}

describe("D-UAC 5: certificates are reloaded without restart", () => {
  it("from a key store: new connections get the new certificate, and the getter and the log show it", async () => {
    const gateway = await startWithStore();
    expect(await serverOf(gateway)).toBe("rsa.gateway");
    place("legacy-ec.p12", "gateway.p12");
    await expect.poll(() => serverOf(gateway)).toBe("ec.gateway");
    expect(gateway.certificate?.subject).toBe("CN=ec.gateway");
    expect(folder.log()).toContainEqual(
      expect.objectContaining({ level: "info", msg: "Certificate reloaded", subject: "CN=ec.gateway" }),
    );
  });

  it("from PEM: certificate and key, active when both are there", async () => {
    const gateway = await startWithPem();
    place("ec.pem", "gateway.pem");
    await expect.poll(errors).toHaveLength(1);
    expect(errors()[0]).toMatch(
      /^The certificate was not reloaded, the previous one stays active: .*does not belong to/,
    );
    expect(await serverOf(gateway)).toBe("rsa.gateway");
    place("ec.key", "gateway.key");
    await expect.poll(() => serverOf(gateway)).toBe("ec.gateway");
  });

  it.each([
    ["is not a key store", () => writeFileSync(folder.file("gateway.p12"), "nonsense")],
    ["has another password", () => place("unicode-modern.p12", "gateway.p12")],
    ["is gone", () => folder.remove("gateway.p12")],
  ])(
    "unless a new file %s: the old certificate stays active with an error in the log; a good one heals it",
    async (_, spoil) => {
      const gateway = await startWithStore();
      spoil();
      await expect.poll(errors).toHaveLength(1);
      expect(await serverOf(gateway)).toBe("rsa.gateway");
      expect(gateway.certificate?.subject).toBe("CN=rsa.gateway");
      place("modern-ec.p12", "gateway.p12");
      await expect.poll(() => serverOf(gateway)).toBe("ec.gateway");
    },
  );

  it("with an authority of clients that was taken away: its clients are refused, resumed sessions of theirs too", async () => {
    const clientAuth = "server.ssl.trust-certificate: clients.pem\nserver.ssl.client-auth: need\n";
    const { url } = await startWithPem(`${clientAuth}server.ssl.enabled-protocols: TLSv1.2`);
    const known = { ...WARY, cert: textOf("client.pem"), key: textOf("client.key") };
    const first = await openTls(url, known);
    const session = first.getSession();
    first.destroy();
    const resumed = await openTls(url, { ...known, session });
    expect(resumed.isSessionReused()).toBe(true);
    resumed.destroy();
    place("stranger.pem", "clients.pem");
    const call = (options: object) =>
      callHttps(url, { ...known, ...options }).then(
        ({ status }) => status,
        () => "refused",
      );
    await expect.poll(() => call({})).toBe("refused");
    expect(await call({ session })).toBe("refused");
  });
});

describe("D-UAC 5: a reload of certificates under traffic", () => {
  it("fails no request, on new connections and on those that stay open", async () => {
    const gateway = await startWithStore();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const seen = new Map<string, number>();
    let going = true;
    const ask = async (options: Parameters<typeof callHttps>[1]): Promise<void> => {
      while (going) {
        const { status, server }: HttpsReply = await callHttps(gateway.url, { ...WARY, ...options });
        expect(status).toBe(200);
        seen.set(server, (seen.get(server) ?? 0) + 1);
      }
    };
    const callers = [...Array(4).fill({ agent }), ...Array(4).fill({ agent: false })].map(ask);
    try {
      for (const [file, name] of [
        ["modern-ec.p12", "ec.gateway"],
        ["legacy-rsa.p12", "rsa.gateway"],
        ["legacy-ec.p12", "ec.gateway"],
      ] as const) {
        place(file, "gateway.p12");
        await expect.poll(() => serverOf(gateway)).toBe(name);
      }
    } finally {
      going = false;
      await Promise.all(callers);
      agent.destroy();
    }
    expect([...seen.keys()].toSorted()).toEqual(["ec.gateway", "rsa.gateway"]);
  });
});
