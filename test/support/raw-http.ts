import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { committedReplies } from "./documented-replies.ts";

/** A request below the base path of a mount, sent as it is. */
export interface RawRequest {
  readonly method?: string;
  /** Path and query below the base path; nothing in it is normalised or encoded. */
  readonly path: string;
  /** `null` sends none. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Somebody else than the API answers, and its document says nothing of the reply. */
  readonly foreign?: true;
}

/** What came back. */
export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request over loopback. Rejects when the reply is not what the committed document of the API says. */
export async function sendRaw(url: string, raw: RawRequest, agent?: Agent): Promise<RawReply> {
  const reply = await exchange(url, raw, agent);
  const { method = "GET", foreign } = raw;
  const path = pathOf(url, raw);
  const faults = foreign ? [] : await committedReplies.faults({ method, path, ...reply });
  if (faults.length === 0) return reply;
  const shown = `${method} ${path} was answered ${reply.status} ${reply.body.slice(0, 500)}`;
  throw new Error(`${shown}\nagainst docs/openapi.json:\n${faults.join("\n")}`);
}

function exchange(url: string, raw: RawRequest, agent?: Agent): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const headers: Record<string, string> = { ...raw.headers };
    if (raw.authorization) headers.Authorization = raw.authorization;
    if (raw.body !== undefined && !headers["Transfer-Encoding"]) {
      headers["Content-Length"] = String(Buffer.byteLength(raw.body));
    }
    const path = pathOf(url, raw);
    const sent = request(
      { hostname, port, path, method: raw.method ?? "GET", headers, agent: agent ?? false },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.once("error", reject);
        reply.once("end", () =>
          resolve({
            status: reply.statusCode ?? 0,
            headers: reply.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.once("error", reject);
    sent.end(raw.body);
  });
}

function pathOf(url: string, raw: RawRequest): string {
  const { pathname } = new URL(url);
  return `${pathname === "/" ? "" : pathname}${raw.path}`;
}
