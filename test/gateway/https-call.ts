import { type RequestOptions, request } from "node:https";
import { type ConnectionOptions, connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { textOf } from "../tls/stores.ts";
import { CHIEF } from "./folder.ts";

/** What a client may say differently: authorities that it trusts, a certificate of its own, versions of TLS, an agent. */
export type HttpsOptions = Pick<RequestOptions, "agent" | "headers"> &
  Pick<ConnectionOptions, "ca" | "cert" | "key" | "rejectUnauthorized" | "minVersion" | "maxVersion" | "session">;

/** A response over TLS, and who gave it. */
export interface HttpsReply {
  readonly status: number | undefined;
  readonly body: string;
  readonly protocol: string | null;
  /** Common name of the server's certificate. */
  readonly server: string;
}

/** A client that believes any server; which one it is stands in the reply. */
const TRUSTING: HttpsOptions = { rejectUnauthorized: false };

/** A client that trusts only our authority. */
export const WARY: HttpsOptions = { ca: textOf("root.pem") };

/** Asks for the trading status as the one user of the folder. Rejects when no connection comes about. */
export function callHttps(origin: string, options: HttpsOptions = TRUSTING): Promise<HttpsReply> {
  return new Promise((resolve, reject) => {
    const url = `${origin}/api/admin/v1/trading/status`;
    const sent = request(url, { agent: false, headers: { Authorization: CHIEF }, ...options }, (reply) => {
      // Later the agent may have given the socket away.
      const socket = reply.socket as TLSSocket;
      const [protocol, server] = [socket.getProtocol(), nameOf(socket)];
      let body = "";
      reply.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      reply.once("end", () => resolve({ status: reply.statusCode, body, protocol, server }));
      reply.once("error", reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** A connection that a test speaks over itself. */
export function openTls(origin: string, options: ConnectionOptions = TRUSTING): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ...options });
    socket.once("error", reject);
    socket.once("secureConnect", () => resolve(socket));
  });
}

/** Everything that comes until the other side closes. */
export function readToEnd(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve(text));
  });
}

function nameOf(socket: TLSSocket): string {
  const { subject }: Partial<PeerCertificate> = socket.getPeerCertificate();
  return String(subject?.CN);
}
