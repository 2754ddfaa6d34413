import { getContainerRuntimeClient, type StartedTestContainer } from "testcontainers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allow, basic, ruleDocument } from "../auth/access-files.ts";
import { dnOf, group, ldapDocument, person, tree } from "../auth/ldap/directory-setup.ts";
import { type RawReply, type RawRequest, sendRaw } from "../support/raw-http.ts";
import { type Slapd, startSlapd } from "../support/slapd.ts";
import { SLAPD_PORT_IN_IMAGE } from "../support/slapd-image.ts";
import { describeContainers } from "./docker.ts";
import { baseUrl, gatewayContainer, Mounts } from "./gateway-container.ts";

const READ = { path: "/services" };
const HALT = { method: "POST", path: "/trading/halt", headers: { "Content-Type": "application/json" }, body: "{}" };

describeContainers("Authentication 2: a gateway in a container, with a directory in another", ({ gateway: image }) => {
  let slapd: Slapd;
  let mounts: Mounts;
  let container: StartedTestContainer;

  beforeAll(async () => {
    slapd = await startSlapd({
      entries: tree(person("Alice"), person("bob"), group("desk", dnOf("Alice")), group("staff", dnOf("bob"))),
    });
    mounts = new Mounts();
    mounts.write("uac-ldap-security.xml", ldapDocument([`ldap://${await addressOf(slapd)}:${SLAPD_PORT_IN_IMAGE}`]));
    mounts.write("uac-access-rules.xml", ruleDocument(allow("desk", "HALT_RESUME_TRADING")));
    container = await gatewayContainer(image, mounts)
      .withEnvironment({ SECURITY_OAUTH2_AUTHENTICATIONTYPE: "LDAP" })
      .start();
  });

  afterAll(async () => {
    await container?.stop();
    mounts?.remove();
    await slapd?.stop();
  });

  function send(request: RawRequest, name: string, password = `password of ${name}`): Promise<RawReply> {
    return sendRaw(baseUrl(container), { ...request, authorization: basic(name, password) });
  }

  it("lets users of the directory in, with the permissions of their groups", async () => {
    expect(await send(HALT, "alice", "password of Alice")).toMatchObject({ status: 200 });
    expect(await send(READ, "bob")).toMatchObject({ status: 200 });
    expect(await send(HALT, "bob")).toMatchObject({ status: 403 });
    expect(await send(READ, "bob", "wrong")).toMatchObject({ status: 401, body: "" });
    expect(mounts.records()).toContainEqual(expect.objectContaining({ user: "Alice", stage: "applied" }));
  });
});

/** The address of the directory for other containers. */
async function addressOf({ port }: Slapd): Promise<string> {
  const { container } = await getContainerRuntimeClient();
  const found = (await container.list()).find(({ Ports }) => Ports.some(({ PublicPort }) => PublicPort === port));
  const [network] = Object.values(found?.NetworkSettings.Networks ?? {});
  if (network === undefined) throw new Error("the directory does not run in a container");
  return network.IPAddress;
}
