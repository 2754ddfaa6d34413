import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_KEY_HEADER } from "../../src/core/conventions.ts";
import { pathOf } from "../tls/stores.ts";
import { requireCommand } from "./command.ts";
import { PASSWORD } from "./installation.ts";
import { Workplace } from "./workplace.ts";

let workplace: Workplace;
let url: string;

const SETTINGS = `server.port: 0
server.ssl.certificate: ${pathOf("rsa.pem")}
server.ssl.certificate-private-key: ${pathOf("rsa.key")}
server.ssl.trust-certificate: ${pathOf("client-root.pem")}
server.ssl.client-auth: need
`;

beforeAll(async () => {
  requireCommand();
  workplace = new Workplace();
  workplace.writeUser("desk", PASSWORD);
  workplace.write("password", PASSWORD);
  workplace.write("application.yaml", SETTINGS);
  ({ url } = await workplace.serve("--config", "application.yaml"));
});

afterAll(() => workplace.close());

function halt(profile: object): ReturnType<Workplace["run"]> {
  const values = { url, user: "desk", "password-file": "password", ...profile };
  workplace.writePrivate("profiles.yaml", JSON.stringify({ current: "tls", profiles: { tls: values } }));
  return workplace.run(["halt"], "", { TRADING_ADMIN_CONFIG: workplace.file("profiles.yaml") });
}

const CLIENT = { certificate: pathOf("client.pem"), "private-key": pathOf("client.key") };

describe("HTTPS with a private authority and a client certificate, from a profile", () => {
  it("sends and proves a halt", async () => {
    expect(url).toMatch(/^https:/);
    const { code, stdout, stderr } = await halt({ ca: pathOf("root.pem"), ...CLIENT });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "sending to tls\n" });
    expect(stdout).toMatch(/^halted +yes$/m);
  });

  it("sends nothing to a gateway whose certificate is not trusted: 6", async () => {
    const { code, stderr } = await halt(CLIENT);
    expect([code, stderr]).toEqual([6, expect.stringMatching(/not sent: .*certificate/)]);
  });

  it("opens the console, whose requests go the same way", async () => {
    const identity = ["--user", "desk", "--password-file", "password", "--ca", pathOf("root.pem")];
    const keys = ["--certificate", CLIENT.certificate, "--private-key", CLIENT["private-key"]];
    const console = await workplace.console("--url", url, ...identity, ...keys);
    const [, key = ""] = /setItem\("[^"]+", "([^"]+)"\)/.exec(await (await fetch(console.url)).text()) ?? [];
    const page = await fetch(new URL("/console", console.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("Trading console")]);
    const headers = { [PAGE_KEY_HEADER]: key };
    const read = await fetch(new URL("/api/admin/v1/trading/status", console.url), { headers });
    expect([read.status, await read.json()]).toEqual([200, expect.objectContaining({ halted: expect.any(Boolean) })]);
  });

  it("names a client certificate without its key, and missing files: 2", async () => {
    const half = await halt({ ca: pathOf("root.pem"), certificate: CLIENT.certificate });
    expect([half.code, half.stderr]).toEqual([
      2,
      expect.stringContaining("needs both --certificate and --private-key"),
    ]);
    const missing = await halt({ ca: "nowhere.pem" });
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringMatching(/ca: the file cannot be read: .*nowhere\.pem/),
    ]);
  });
});
