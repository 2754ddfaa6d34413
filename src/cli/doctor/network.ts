import { lookup } from "node:dns/promises";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectSecurely, type TLSSocket } from "node:tls";
import { hostOf } from "../../core/urls.ts";
import { adviceFor } from "../connection/failure-advice.ts";
import type { ClientTls } from "../connection/node-fetch.ts";

export type Finding = {
  readonly check: string;
  /** `unknown` is what cannot be found out from here. */
  readonly result: "ok" | "warning" | "failed" | "unknown";
  /** The finding, and the remedy for a problem. */
  readonly detail: string;
};

export function findings(
  check: string,
): Readonly<Record<"ok" | "warning" | "failed" | "unknown", (detail: string) => Finding>> {
  const found = (result: Finding["result"]) => (detail: string) => ({ check, result, detail });
  return { ok: found("ok"), warning: found("warning"), failed: found("failed"), unknown: found("unknown") };
}

const TIMEOUT_MS = 5_000;
const DAY_MS = 86_400_000;

/** From here on a certificate should be renewed. */
const SOON_DAYS = 30;

/** Whether an address can be reached, and its certificate. */
export async function checkAddress(address: URL, tls: ClientTls, now: number): Promise<Finding[]> {
  const { ok, failed } = findings(`address ${address.origin}`);
  const started = performance.now();
  try {
    const ips = await addressesOf(hostOf(address));
    const socket = await opened(address, tls);
    try {
      const took = (performance.now() - started).toFixed(0);
      const reached = ok(`reached in ${took} ms (${ips.join(", ")})`);
      return [reached, "getPeerCertificate" in socket ? checkCertificate(address, socket, now) : noTls(address)];
    } finally {
      socket.destroy();
    }
  } catch (error) {
    return [failed(`${(error as Error).message}${adviceFor(error as NodeJS.ErrnoException)}`)];
  }
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** A connection, with TLS where the address asks for it. The certificate is judged afterwards: what is wrong with it is what is asked. */
function opened(address: URL, tls: ClientTls): Promise<Socket | TLSSocket> {
  const secure = address.protocol === "https:";
  const host = hostOf(address);
  const port = Number(address.port) || (secure ? 443 : 80);
  const name = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const socket = secure
      ? connectSecurely({ host, port, ...name, ...tls, rejectUnauthorized: false })
      : connectPlain({ host, port });
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no connection within ${TIMEOUT_MS} ms`)));
    socket.once("error", reject);
    socket.once(secure ? "secureConnect" : "connect", () => resolve(socket));
  });
}

function noTls({ origin }: URL): Finding {
  return findings(`TLS ${origin}`).warning(
    "none: credentials and commands can be read on the way; fine on this machine only",
  );
}

function checkCertificate({ origin }: URL, socket: TLSSocket, now: number): Finding {
  const { ok, warning, failed } = findings(`TLS ${origin}`);
  const { subject, issuer, valid_to: validTo } = socket.getPeerCertificate();
  const days = Math.floor((Date.parse(validTo) - now) / DAY_MS);
  const expiry = `valid until ${new Date(validTo).toISOString().slice(0, 10)} (${days} days)`;
  const what = `${socket.getProtocol()}, ${subject?.CN ?? "no name"} by ${issuer?.CN ?? "no name"}, ${expiry}`;
  if (!socket.authorized) {
    const problem = String(socket.authorizationError);
    return failed(
      `${what}: not trusted (${problem}); name its authority with --ca, or the host as the certificate does`,
    );
  }
  return days < SOON_DAYS ? warning(`${what}; renew it`) : ok(what);
}
