import { type Agent, type IncomingHttpHeaders, request } from "node:http";

/** A request below the base path of a mount, sent as it is. */
export interface RawRequest {
  readonly method?: string;
  /** Path and query below the base path; nothing in it is normalised or encoded. */
  readonly path: string;
  /** `null` sends none. */
  readonly authorization?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What came back. */
export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request over loopback. */
export function sendRaw(url: string, raw: RawRequest, agent?: Agent): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(url);
    const headers: Record<string, string> = { ...raw.headers };
    if (raw.authorization) headers.Authorization = raw.authorization;
    if (raw.body !== undefined && !headers["Transfer-Encoding"]) {
      headers["Content-Length"] = String(Buffer.byteLength(raw.body));
    }
    const path = `${pathname === "/" ? "" : pathname}${raw.path}`;
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
