import { type AddressInfo, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ListenError } from "../../src/gateway/server/server.ts";
import { freePort } from "../support/ports.ts";
import { sendRaw } from "../support/raw-http.ts";
import { CHIEF, InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

/** Listens on a port and answers how to let go of it. */
function occupy(port: number): Promise<{ port: number; release: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    const release = () => new Promise<void>((done) => server.close(() => done()));
    server.listen(port, "127.0.0.1", () => resolve({ port: (server.address() as AddressInfo).port, release }));
  });
}

/** The error with which a start on its own port fails; then nobody listens on the port. */
async function failureOf(yaml: string): Promise<Error> {
  const port = await freePort();
  const error: unknown = await folder.start(yaml.includes("server.port") ? yaml : `server.port: ${port}\n${yaml}`).then(
    () => new Error("the gateway started"),
    (cause: unknown) => cause,
  );
  if (!(error instanceof Error)) throw new Error("what was thrown is not an error");
  await (await occupy(port)).release();
  return error;
}

const INSTALLATION = "admin.engine.installation: installation.yaml";

describe("a start that cannot succeed names file, line and reason, and does not listen", () => {
  it.each([
    ["broken YAML", "accounts: [GOLD\nsources: [A]\n", /installation\.yaml:2: \S/],
    [
      "an unknown key",
      "seed: 1\nacounts: [GOLD]\n",
      'installation.yaml:2: acounts: unknown key; the nearest known key is "accounts"',
    ],
    ["a wrong value", "seed: 1\nactivity: maybe\n", "installation.yaml:2: activity: must be on or off"],
  ])("for the installation: %s", async (_, text, message) => {
    folder.write("installation.yaml", text);
    const error = await failureOf(INSTALLATION);
    expect(error.message).toMatch(message);
    expect(error.message).toContain(folder.path);
  });

  it("for a missing installation", async () => {
    const { message } = await failureOf(INSTALLATION);
    expect(message).toMatch(/installation\.yaml: cannot be read: ENOENT/);
  });

  it.each(["uac-file-security.xml", "uac-access-rules.xml"])("for %s with broken XML", async (name) => {
    folder.write(name, '<?xml version="1.0"?>\n<config>\n  <users>\n</config>\n');
    const { message } = await failureOf("");
    expect(message).toMatch(new RegExp(`^${folder.file(name)}:[234]:\\d+: \\S`));
  });

  it.each(["uac-file-security.xml", "uac-access-rules.xml"])("for %s if it is missing", async (name) => {
    folder.remove(name);
    const { message } = await failureOf("");
    expect(message).toBe(
      `${folder.file(name)}: the file does not exist; create it, as \`trading-admin init\` does in a folder without access files, or set the directory of the access files`,
    );
  });

  it("without the password of a broken user file in the message", async () => {
    const broken = '<config><users><user id="a"><password>hush-hush</pasword></user></users></config>';
    folder.write("uac-file-security.xml", broken);
    const { message } = await failureOf("");
    expect(message).toMatch(/uac-file-security\.xml:1:\d+: /);
    expect(message).not.toContain("hush");
  });

  it("for a missing LDAP file", async () => {
    const { message } = await failureOf("security.oauth2.authenticationType: LDAP");
    expect(message).toBe(
      `${folder.file("uac-ldap-security.xml")}: the file does not exist; create it, or set the directory of the access files`,
    );
  });

  it("for a port in use: ListenError with what to do", async () => {
    const { port, release } = await occupy(0);
    try {
      const error = await failureOf(`server.port: ${port}`);
      expect(error).toBeInstanceOf(ListenError);
      expect(error.message).toBe(
        `Cannot listen on 127.0.0.1:${port}: the port is in use; stop the other program or set server.port, as with --server.port=9000 (npm start -- --server.port=9000)`,
      );
    } finally {
      await release();
    }
  });

  it("for an address that this machine does not have", async () => {
    const { message } = await failureOf(
      "server.address: 192.0.2.1\nserver.port: 0\nadmin.api.allow-basic-without-tls: true",
    );
    expect(message).toBe("Cannot listen on 192.0.2.1:0: this machine has no such address; set server.address");
  });
});

describe("a gateway that was closed", () => {
  it("no longer listens: its port can be used again immediately", async () => {
    const port = await freePort();
    for (let round = 0; round < 3; round += 1) {
      const gateway = await folder.start(`server.port: ${port}`);
      expect(gateway.url).toBe(`http://127.0.0.1:${port}`);
      const reply = await sendRaw(gateway.url, { path: "/api/admin/v1/services", authorization: CHIEF });
      expect(reply.status).toBe(200);
      await gateway.close();
    }
  });
});
