import { describe, expect, it } from "vitest";
import { discoverJwkSet } from "../../src/auth/token/key-source.ts";
import { addressOf } from "../../src/cli/connection/settings.ts";
import { parseSettings } from "../../src/config/load.ts";
import { authenticationMechanism, describeMechanism } from "../../src/config/mechanism.ts";
import { systemClock } from "../../src/core/clock.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { openEngine } from "../../src/gateway/engine/opened-engine.ts";

const settingsOf = (yaml: string) => parseSettings(yaml, "application.yaml");

async function reasonOf(attempt: () => unknown): Promise<string> {
  try {
    await attempt();
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("D-SET 7: query and fragment of a URL are hidden wherever it is shown", () => {
  const engine = (transport: string) =>
    settingsOf(`admin.engine: { transport: ${transport}, url: "ws://127.0.0.1:1/bus?token=S3CRET" }`);

  it("in the summary of a start: the engine", async () => {
    const { description, transport } = await openEngine(engine("websocket"), new Gate(systemClock), () => {});
    await transport.close();
    expect(description).toBe("over websocket, ws://127.0.0.1:1/bus?***");
  });

  it("in the summary of a start: the identity provider", () => {
    const issuer = "spring.security.oauth2.resourceserver.jwt.issuer-uri: https://idp/r?S3CRET";
    const mechanism = authenticationMechanism(settingsOf(`security.oauth2.authenticationType: PROVIDER\n${issuer}\n`));
    expect(describeMechanism(mechanism, ".")).toBe("PROVIDER: bearer tokens of https://idp/r?***");
  });

  it.each([
    ["a transport that does not fit", () => openEngine(engine("nats"), new Gate(systemClock), () => {})],
    ["an issuer without metadata", () => discoverJwkSet("http://127.0.0.1:1/?k=S3CRET", AbortSignal.timeout(5_000))],
    ["the address of a gateway", () => addressOf("http://127.0.0.1:1/?k=S3CRET")],
    ["the address of a gateway without a scheme", () => addressOf("gateway:8988/?S3CRET#S3CRET")],
    ["an address that is not a URL", () => addressOf("ftp://h/#S3CRET")],
  ])("in errors about %s", async (_, attempt) => {
    const reason = await reasonOf(attempt);
    expect(reason).toContain("***");
    expect(reason).not.toContain("S3CRET");
  });
});
