import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
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

  test("a certificate of an authority that is not trusted is refused, and nothing is sent in clear text", async () => {
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

describe("LDAP with StartTLS and a man in the middle", () => {
  const BEHIND = /followed by \d+ bytes in plain text/;
  const NOT_TLS = /wrong version number|packet length too long|bad record type|unexpected message|http request/;

  test.each<[name: string, forged: (response: Buffer, id: number) => readonly Buffer[], reason: RegExp]>([
    ["half a response", (response, id) => [Buffer.concat([response, halfSuccess(id)])], BEHIND],
    ["a whole response", (response, id) => [Buffer.concat([response, wholeSuccess(id)])], BEHIND],
    ["a single byte", (response) => [Buffer.concat([response, Buffer.from([0x30])])], BEHIND],
    ["half a response in a packet of its own", (response, id) => [response, halfSuccess(id)], NOT_TLS],
    [
      "half a response behind one that comes in two packets",
      (response, id) => [response.subarray(0, 5), Buffer.concat([response.subarray(5), halfSuccess(id)])],
      BEHIND,
    ],
  ])("who adds %s in plain text logs nobody in (D-AUTH 14)", async (_name, forged, reason) => {
    let injects = false;
    const middleman = await startMiddleman((response, id) => (injects ? forged(response, id) : [response]));
    try {
      await rig.writeLdap(ldapDocument([middleman.url]));
      await rig.open({ tls: { ca: certificates.ca }, timeoutMs: 2000 });
      expect([rig.users, rig.errors, await rig.kindOf("alice", "wrong")]).toEqual([["alice"], [], "challenge"]);
      injects = true;
      await expect(rig.login("alice", "nonsense")).rejects.toThrow(reason);
      expect(await rig.authentication.reload()).toBe(false);
      expect(rig.errors).toEqual([expect.stringMatching(reason)]);
      injects = false;
      expect(await rig.kindOf("alice")).toBe("principal");
    } finally {
      await middleman.close();
    }
  });

  test.each<[name: string, forged: (response: Buffer, id: number) => Buffer, reason: string]>([
    ["a bind response", (_response, id) => wholeSuccess(id - 1), "not the response to StartTLS"],
    [
      "a response to another request",
      (response) => Buffer.concat([response.subarray(0, 4), Buffer.from([9]), response.subarray(5)]),
      "not the response to StartTLS",
    ],
    ["text", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), "not an LDAP message"],
    [
      "a refusal",
      () => Buffer.from([0x30, 14, 2, 1, 1, 0x78, 9, 0x0a, 1, 52, 4, 0, 4, 2, 0x6e, 0x6f]),
      "refuses StartTLS: result code 52, no",
    ],
  ])("who answers StartTLS with %s gets no credentials (D-AUTH 14)", async (_name, forged, reason) => {
    const middleman = await startMiddleman((response, id) => [forged(response, id)]);
    try {
      await rig.writeLdap(ldapDocument([middleman.url]));
      await rig.open({ tls: { ca: certificates.ca }, timeoutMs: 2000 });
      expect([rig.users, rig.errors]).toEqual([[], [expect.stringContaining(reason)]]);
    } finally {
      await middleman.close();
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

/**
 * A man in the middle who has no key: the responses to StartTLS are what `forged` makes of the server's, everything else is handed on
 * unchanged. `id` is the number of the request.
 */
async function startMiddleman(forged: (response: Buffer, id: number) => readonly Buffer[]) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(slapd.port, "127.0.0.1");
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay(true));
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.once("data", (request: Buffer) => {
      client.pause();
      upstream.write(request);
      upstream.once("data", async (response: Buffer) => {
        for (const part of forged(response, request[4] ?? 0)) {
          client.write(part);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        client.pipe(upstream);
        upstream.pipe(client);
      });
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `ldap+starttls://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A BindResponse success for the next request, whose end would be the server's real response of 14 bytes. */
function halfSuccess(id: number): Buffer {
  return Buffer.from([0x30, 26, 0x02, 1, id + 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0]);
}

/** A whole BindResponse success. */
function wholeSuccess(id: number): Buffer {
  return Buffer.from([0x30, 12, 0x02, 1, id + 1, 0x61, 7, 0x0a, 1, 0, 4, 0, 4, 0]);
}

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
