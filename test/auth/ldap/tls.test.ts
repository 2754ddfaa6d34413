import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Slapd, startSlapd } from "../../support/slapd.ts";
import { type Certificates, makeCertificates } from "../../transports/support/certificates.ts";
import { dnOf, group, LdapRig, ldapDocument, person, tree, urlOf } from "./directory-setup.ts";

let certificates: Certificates;
let slapd: Slapd;
let rig: LdapRig;

beforeAll(async () => {
  certificates = await makeCertificates();
  slapd = await startSlapd({ entries: tree(person("alice"), group("traders", dnOf("alice"))), certificates });
});

afterAll(() => slapd.stop());

beforeEach(async () => {
  rig = await LdapRig.create();
});

afterEach(() => rig.close());

const URLS = {
  ldaps: (host = "127.0.0.1") => `ldaps://${host}:${slapd.securePort}`,
  StartTLS: (host = "127.0.0.1") => `ldap+starttls://${host}:${slapd.port}`,
};

describe.each(["ldaps", "StartTLS"] as const)("LDAP over TLS: %s", (kind) => {
  test("a server with a certificate of the authority is used", async () => {
    await rig.writeLdap(ldapDocument([URLS[kind]()]));
    await rig.open({ tls: { ca: certificates.ca } });
    expect([rig.users, rig.errors]).toEqual([["alice"], []]);
    expect(await rig.kindOf("alice")).toBe("principal");
    expect(await rig.kindOf("alice", "wrong")).toBe("challenge");
  });

  test("a certificate of an authority that is not trusted is refused, and nothing goes on in clear text", async () => {
    await rig.writeLdap(ldapDocument([URLS[kind]()]));
    await rig.open();
    expect(rig.users).toEqual([]);
    expect(rig.errors).toEqual([expect.stringMatching(/:\d+: unable to (verify|get)|self.signed/)]);
    await expect(rig.login("alice")).rejects.toThrow("could not be loaded");
  });

  test("a certificate for another name is refused", async () => {
    await rig.writeLdap(ldapDocument([URLS[kind]("localhost")]));
    await rig.open({ tls: { ca: certificates.ca } });
    expect(rig.errors).toEqual([expect.stringContaining("localhost")]);
    expect(rig.users).toEqual([]);
  });

  test("a server that is silent during the handshake costs the timeout and no more", async () => {
    const silent = await silentServer(kind === "StartTLS");
    try {
      await rig.writeLdap(ldapDocument([URLS[kind]().replace(/\d+$/, `${silent.port}`), URLS[kind]()]));
      await rig.open({ tls: { ca: certificates.ca }, timeoutMs: 1500 });
      expect([rig.users, rig.errors]).toEqual([["alice"], []]);
      expect(silent.connections()).toBe(1);
    } finally {
      await silent.close();
    }
  });
});

describe("LDAP with StartTLS", () => {
  test("is not used on a server that has no TLS", async () => {
    const plain = await startSlapd({ entries: tree(person("alice"), group("traders", dnOf("alice"))) });
    try {
      await rig.writeLdap(ldapDocument([urlOf(plain).replace("ldap:", "ldap+starttls:")]));
      await rig.open({ tls: { ca: certificates.ca } });
      expect(rig.users).toEqual([]);
      expect(rig.errors).toEqual([expect.stringMatching(/ldap\+starttls:\/\/127\.0\.0\.1:\d+: /)]);
    } finally {
      await plain.stop();
    }
  });
});

/** Accepts connections and never does a handshake; with `agrees` it says yes to the StartTLS operation. */
async function silentServer(agrees: boolean) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", (request: Buffer) => {
      // An ExtendedResponse (RFC 4511 section 4.12): success, with the number of the request, which is its fifth byte.
      if (agrees) socket.write(Buffer.from([0x30, 0x0c, 0x02, 0x01, request[4] ?? 0, 0x78, 7, 0x0a, 1, 0, 4, 0, 4, 0]));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
