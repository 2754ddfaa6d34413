import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeStart } from "../../src/cli/serve.ts";
import { parseSettings } from "../../src/config/load.ts";
import { openDemo } from "../../src/gateway/demo.ts";
import { pathOf } from "../tls/stores.ts";
import { InstallationFolder } from "./folder.ts";

let folder: InstallationFolder;

beforeEach(() => {
  folder = new InstallationFolder();
});

afterEach(() => folder.close());

const PEM = `
server.ssl.certificate: ${pathOf("ec.pem")}
server.ssl.certificate-private-key: ${pathOf("ec.key")}
`;

async function summary(yaml: string): Promise<{ text: string; url: string; pin: string | undefined }> {
  const gateway = await folder.start(yaml);
  const file = folder.file("application.yaml");
  const demo = await openDemo(folder.file("demo"));
  const text = describeStart({ gateway, settings: parseSettings(yaml, file), file, demo });
  return { text, url: gateway.url, pin: gateway.certificate?.publicKeyPin };
}

describe("the summary of a start with HTTPS", () => {
  it("has the address, the certificate, and a curl line that trusts this server's key alone", async () => {
    const { text, url, pin } = await summary(PEM);
    expect(text.trimEnd().split("\n").at(-1)).toBe(`listening on ${url}`);
    expect(text).toMatch(new RegExp(`^ {2}API +${url}/api/admin/v1 `, "m"));
    expect(text).toMatch(/^ {2}certificate +CN=ec\.gateway, until 21\d\d-\d\d-\d\d$/m);
    const password = `$(cat ${folder.file("demo/operator.password")})`;
    expect(text).toContain(
      `curl -k --pinnedpubkey 'sha256//${pin}' -u "operator:${password}" ${url}/api/admin/v1/trading/status\n`,
    );
  });

  it("has no curl line when callers need a certificate, which the demo does not have", async () => {
    const { text } = await summary(
      `${PEM}server.ssl.client-auth: need\nserver.ssl.trust-certificate: ${pathOf("client-root.pem")}`,
    );
    expect(text).not.toContain("curl");
  });

  it("says nothing of certificates in plain HTTP", async () => {
    const { text, url } = await summary("");
    expect(url).toMatch(/^http:/);
    expect(text).not.toMatch(/certificate|pinned/);
    expect(text).toContain(`curl -u "operator:`);
  });

  it.each([
    ["", 21],
    ["admin.api.extensions: false", 18],
  ])("counts the operations that are served with %j", async (yaml, count) => {
    expect((await summary(yaml)).text).toContain(` (${count} operations)`);
  });
});
