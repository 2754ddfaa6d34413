import { apache } from "../support/apache.ts";
import { HAPROXY } from "../support/haproxy.ts";
import { NGINX } from "../support/nginx.ts";
import { type ProxyKind, ProxyProcess } from "../support/proxy-process.ts";
import { blockOf } from "./document.ts";

const DOCUMENT = "deploy/proxies.md";

/** Changes a configuration, such as to make one of the mistakes that the document warns of. */
export type Change = (site: string) => string;

/** A proxy that the document configures. */
export interface DocumentedProxy {
  readonly name: "nginx" | "HAProxy" | "Apache";
  readonly kind: ProxyKind;
  /** What is in its own error pages. */
  readonly ownPage: string;
  /** The document's configuration for these gateways, whose certificate is in a folder; it waits a tenth of its time for them. */
  site(gateways: readonly string[], folder: string, port: number): string;
}

export const nginx: DocumentedProxy = {
  name: "nginx",
  kind: NGINX,
  ownPage: "<center>nginx",
  site(gateways, folder, port) {
    const document = blockOf(DOCUMENT, "nginx");
    const [, options = ""] = /^ {4}server \d\S+( .*)?;$/m.exec(document) ?? [];
    const servers = gateways.map((gateway) => `    server ${gateway}${options};\n`).join("");
    return document
      .replace(/( {4}server \d.*;\n)+/, () => servers)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
      .replaceAll("/etc/nginx/tls", folder)
      .replace("proxy_read_timeout 15s", "proxy_read_timeout 1500ms");
  },
};

export const haproxy: DocumentedProxy = {
  name: "HAProxy",
  kind: HAPROXY,
  ownPage: "",
  site(gateways, folder, port) {
    let document = blockOf(DOCUMENT, "haproxy");
    for (const [at, address] of ["10.0.0.11:8988", "10.0.0.12:8988"].entries()) {
      const gateway = gateways[at];
      const line = new RegExp(`^( {4}server \\S+ )${address.replaceAll(".", "\\.")}(.*)\n`, "gm");
      document = document.replace(line, gateway === undefined ? "" : `$1${gateway}$2\n`);
    }
    return document
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replaceAll("/etc/haproxy/tls", folder)
      .replace("timeout server 15s", "timeout server 1500ms");
  },
};

export const apacheServer: DocumentedProxy = {
  name: "Apache",
  kind: apache(/^# a2enmod (.*)$/m.exec(blockOf(DOCUMENT, "apache"))?.[1]?.split(" ") ?? []),
  ownPage: "<title>404 Not Found</title>",
  site([gateway = ""], folder, port) {
    const document = blockOf(DOCUMENT, "apache");
    return `Listen 127.0.0.1:${port}\n${document}`
      .replace("<VirtualHost *:443>", `<VirtualHost 127.0.0.1:${port}>`)
      .replaceAll("10.0.0.11:8988", gateway)
      .replaceAll("/etc/apache2/tls", folder)
      .replace("timeout=15", "timeout=1500ms");
  },
};

/** Starts it as the document has it, or with a change. */
export function startDocumented(
  { kind, site }: DocumentedProxy,
  gateways: readonly string[],
  folder: string,
  change: Change = (text) => text,
): Promise<ProxyProcess> {
  return ProxyProcess.start(kind, (port) => change(site(gateways, folder, port)));
}
