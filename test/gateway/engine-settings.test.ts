import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { engineLinkSettings } from "../../src/gateway/engine/engine-settings.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "trading-admin-engine-"));
  for (const name of ["ca.pem", "gateway.pem", "gateway.key", "engine.creds"]) {
    writeFileSync(join(folder, name), `content of ${name}`);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

function link(transport: "websocket" | "nats", ...lines: readonly string[]) {
  const yaml = lines.map((line) => `admin.engine.${line}`).join("\n");
  return engineLinkSettings(parseSettings(yaml, join(folder, "application.yaml")), transport);
}

describe("admin.engine.*: the link to an engine in another process", () => {
  it("takes a URL alone", async () => {
    const settings = { urls: ["ws://engine:8989"], token: undefined, tls: undefined, credentials: undefined };
    expect(await link("websocket", "url: ws://engine:8989")).toEqual(settings);
  });

  it("takes several NATS servers, a token, certificates and credentials", async () => {
    const files = ["tls.ca: ca.pem", "tls.certificate: gateway.pem", "tls.private-key: gateway.key"];
    const given = ["url: nats://a:4222,tls://b:4222", "token: t0ken", "credentials: engine.creds", ...files];
    expect(await link("nats", ...given)).toEqual({
      urls: ["nats://a:4222", "tls://b:4222"],
      token: "t0ken",
      tls: { ca: "content of ca.pem", cert: "content of gateway.pem", key: "content of gateway.key" },
      credentials: "content of engine.creds",
    });
  });

  it.each([
    ["websocket", [], /^admin\.engine\.url: is required when admin\.engine\.transport is websocket$/],
    ["nats", [], /^admin\.engine\.url: is required when admin\.engine\.transport is nats$/],
    ["websocket", ["url: ws://a,ws://b"], /^admin\.engine\.url: must be one URL/],
    ["websocket", ["url: nats://a"], /must begin with ws:\/\/ or wss:\/\/ when .* websocket, is "nats:\/\/a"$/],
    ["nats", ["url: nats://a,wss://b"], /must begin with nats:\/\/ or tls:\/\/ when .* nats, is "wss:\/\/b"$/],
    ["websocket", ["url: wss://a", "tls.ca: lost.pem"], /^admin\.engine\.tls\.ca: .*lost\.pem/],
    ["websocket", ["url: wss://a", "tls.certificate: gateway.pem"], /both are needed, or neither$/],
    ["websocket", ["url: wss://a", "tls.private-key: gateway.key"], /both are needed, or neither$/],
  ] as const)("%s with %j is refused with the reason", async (transport, lines, reason) => {
    await expect(link(transport, ...lines)).rejects.toThrow(reason);
  });
});
