import { type RequestOptions, request } from "node:https";
import { text } from "node:stream/consumers";
import type { Gateway } from "../../src/gateway/gateway.ts";
import { CHIEF, InstallationFolder } from "../gateway/folder.ts";
import { type HeldEngine, startHeldEngine } from "../gateway/held-engine.ts";
import type { ProxyProcess } from "../support/proxy-process.ts";
import { type Certificates, makeCertificates } from "../transports/support/certificates.ts";
import { type Change, type DocumentedProxy, startDocumented } from "./documented-proxies.ts";

const SETTINGS = "admin.engine.request-timeout: 1s\nserver.trusted-proxies: 127.0.0.1\n";

export const API = "/api/admin/v1";
export const HALT: RequestOptions = { method: "POST", headers: { "Content-Type": "application/json" } };

/** A response through a proxy. */
export interface Reply {
  readonly status: number | undefined;
  readonly outcome: string | undefined;
  readonly body: string;
}

/** An engine, gateways, and a proxy in front of them. */
export class BehindProxy {
  readonly folder = new InstallationFolder();
  readonly engine: HeldEngine;
  readonly certificates: Certificates;
  #proxy: ProxyProcess | undefined;

  private constructor(engine: HeldEngine, certificates: Certificates) {
    this.engine = engine;
    this.certificates = certificates;
    const { cert, key } = certificates.engine;
    this.folder.write("admin.crt", cert);
    this.folder.write("admin.key", key);
    this.folder.write("admin.pem", `${cert}${key}`);
  }

  static async open(): Promise<BehindProxy> {
    return new BehindProxy(await startHeldEngine(), await makeCertificates());
  }

  /** Starts a gateway that trusts the proxy; `more` are settings besides. */
  gateway(more = ""): Promise<Gateway> {
    return this.folder.start(`${SETTINGS}${this.engine.settings}${more}`);
  }

  /** Puts a proxy in front of these addresses. */
  async proxy(documented: DocumentedProxy, gateways: readonly string[], change?: Change): Promise<ProxyProcess> {
    await this.#proxy?.stop();
    this.#proxy = await startDocumented(documented, gateways, this.folder.path, change);
    return this.#proxy;
  }

  /** Sends a request to the proxy. */
  send(path: string, options: RequestOptions = {}, body = ""): Promise<Reply> {
    const headers = { Authorization: CHIEF, ...options.headers };
    const target = { host: "127.0.0.1", port: this.port, path, ca: this.certificates.ca, agent: false };
    return new Promise((resolve, reject) => {
      const sent = request({ ...target, ...options, headers }, (reply) => {
        const outcome = reply.headers["x-admin-outcome"]?.toString();
        text(reply).then((read) => resolve({ status: reply.statusCode, outcome, body: read }), reject);
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }

  get port(): number {
    return this.#proxy?.port ?? 0;
  }

  async close(): Promise<void> {
    await this.#proxy?.stop();
    await this.folder.close();
    await this.engine.close();
  }
}

/** Host and port, as a proxy's configuration has them. */
export function addressOf({ url }: Pick<Gateway, "url">): string {
  return new URL(url).host;
}
