import { request } from "node:https";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { KeyServer } from "../auth/token/key-server.ts";
import { signingKey } from "../auth/token/tokens.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { type HeldEngine, startHeldEngine } from "../gateway/held-engine.ts";
import { pathOf } from "../tls/stores.ts";

/** Two gateways that together have every metric there is. */
export interface WatchedGateways {
  /** HTTPS, passwords, an engine that can be held; metrics are on the port of the API. */
  readonly secure: Gateway;
  /** Tokens; metrics are on the management port. */
  readonly tokens: Gateway;
  readonly engine: HeldEngine;
  close(): Promise<void>;
}

/** Starts them. */
export async function startWatchedGateways(): Promise<WatchedGateways> {
  const engine = await startHeldEngine();
  const provider = new KeyServer();
  provider.pages.set("/keys", { keys: [(await signingKey("one")).jwk] });
  await provider.up();
  const folders = [new InstallationFolder(), new InstallationFolder()] as const;
  const secure = await folders[0].start(
    `${engine.settings}admin.engine.request-timeout: 300ms
server.ssl: { certificate: ${pathOf("rsa.pem")}, certificate-private-key: ${pathOf("rsa.key")} }`,
  );
  const tokens = await folders[1].start(
    `management.server.port: 0
security.oauth2.authenticationType: PROVIDER
spring.security.oauth2.resourceserver.jwt.jwk-set-uri: ${provider.origin}/keys`,
  );
  return {
    secure,
    tokens,
    engine,
    close: async () => {
      for (const folder of folders) await folder.close();
      await provider.down();
      await engine.close();
    },
  };
}

/** Asks over HTTPS as the one user of the folder, whatever the certificate. */
export function askSecure(
  url: string,
  method: "GET" | "POST",
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const options = { method, agent: false, rejectUnauthorized: false, headers: { Authorization: CHIEF } };
    const sent = request(url, options, (reply) => {
      let body = "";
      reply.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      reply.once("end", () => resolve({ status: reply.statusCode ?? 0, body }));
    });
    sent.once("error", reject);
    sent.end();
  });
}
