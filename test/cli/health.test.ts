import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../support/ports.ts";
import { makeCertificates } from "../transports/support/certificates.ts";
import { requireCommand } from "./command.ts";
import { Workplace } from "./workplace.ts";

let workplace: Workplace;
let server: Server | undefined;

beforeAll(requireCommand);

beforeEach(() => {
  workplace = new Workplace();
  workplace.writeUser("desk", "correct horse 7 battery");
});

afterEach(async () => {
  server?.close();
  server = undefined;
  await workplace.close();
});

/** Something else that responds where the gateway should. */
async function impostor(listener: RequestListener): Promise<number> {
  const other = createServer(listener);
  server = other;
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  return (other.address() as AddressInfo).port;
}

describe("trading-admin health, the health check of a container", () => {
  it.each([
    ["on the port of the API", "server.port: {port}"],
    ["on the management port", "server.port: 0\nmanagement.server.port: {port}"],
  ])("finds a gateway that is alive: %s", async (_, yaml) => {
    workplace.write("application.yaml", `${yaml.replace("{port}", String(await freePort()))}\n`);
    await workplace.serve("--config", "application.yaml");
    const { code, stdout, stderr } = await workplace.run(["health", "--config", "application.yaml"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"status":"UP"}\n', stderr: "" });
  });

  it("speaks HTTPS where the gateway does, whatever names its certificate has", async () => {
    const { stranger } = await makeCertificates();
    workplace.write("cert.pem", stranger.cert);
    workplace.write("key.pem", stranger.key);
    const ssl = "{ certificate: cert.pem, certificate-private-key: key.pem }";
    workplace.write("application.yaml", `server: { port: ${await freePort()}, ssl: ${ssl} }\n`);
    await workplace.serve("--config", "application.yaml");
    expect(await workplace.run(["health", "--config", "application.yaml"])).toMatchObject({ code: 0 });
  });

  it("says where an address belongs", async () => {
    const { code, stderr } = await workplace.run(["health", "http://127.0.0.1:8988"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("--url http://127.0.0.1:8988") });
  });

  it.each([
    [
      "nothing answers",
      undefined,
      /the gateway does not answer at http:\/\/127\.0\.0\.1:\d+\/actuator\/health\/liveness: .*ECONNREFUSED/,
    ],
    ["it says that it is not alive", 503, /the gateway is not healthy: .* responds 503 \{"status":"DOWN"\}/],
    ["it is something else", 404, /the gateway is not healthy: .* responds 404/],
  ])("ends with exit code 1 when %s", async (_, status, message) => {
    const port = status
      ? await impostor((_request, response) => response.writeHead(status).end('{"status":"DOWN"}'))
      : await freePort();
    workplace.write("application.yaml", `server.port: ${port}\n`);
    const { code, stdout, stderr } = await workplace.run(["health", "--config", "application.yaml"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
  });

  it("does not wait long for a gateway that hangs", async () => {
    workplace.write("application.yaml", `server.port: ${await impostor(() => {})}\n`);
    const { code, stderr } = await workplace.run(["health", "--config", "application.yaml"]);
    server?.closeAllConnections();
    expect([code, stderr]).toEqual([1, expect.stringContaining("no response within 4000 ms")]);
  });
});

describe("health --url: from anywhere, without a configuration", () => {
  it("asks for liveness, or for the path of the URL", async () => {
    workplace.write("application.yaml", "server.port: 0\n");
    const { url } = await workplace.serve("--config", "application.yaml");
    for (const asked of [url, `${url}/`, `${url}/actuator/health/readiness`]) {
      expect(await workplace.run(["health", "--url", asked])).toEqual({
        code: 0,
        stdout: '{"status":"UP"}\n',
        stderr: "",
      });
    }
  });

  it("checks the certificate: an authority that Node does not know has to be named", async () => {
    const { ca, gateway } = await makeCertificates();
    workplace.write("ca.pem", ca);
    workplace.write("cert.pem", gateway.cert);
    workplace.write("key.pem", gateway.key);
    const ssl = "{ certificate: cert.pem, certificate-private-key: key.pem }";
    workplace.write("application.yaml", `server: { port: 0, ssl: ${ssl} }\n`);
    const { url } = await workplace.serve("--config", "application.yaml");
    const { code, stderr } = await workplace.run(["health", "--url", url]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("unable to verify the first certificate")]);
    expect(await workplace.run(["health", "--url", url, "--ca", "ca.pem"])).toMatchObject({ code: 0 });
  });

  it.each([
    ["neither configuration nor URL", [], /name the gateway: --config .* or --url /],
    ["both", ["--config", "application.yaml", "--url", "http://127.0.0.1:1"], /name the gateway/],
    [
      "a password in what is not a URL of HTTP",
      ["--url", "ftp://desk:hush@localhost"],
      /"ftp:\/\/\*\*\*@localhost" is not an http/,
    ],
  ])("refuses %s", async (_, args, message) => {
    const { code, stdout, stderr } = await workplace.run(["health", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});
