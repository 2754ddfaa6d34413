import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import { type ClientOptions, WebSocket } from "ws";
import { CONTRACT_NAME } from "../json-rpc/contract.ts";
import { checkAuthorities } from "../link/link.ts";
import { DEFAULT_MAX_REPLY_BYTES, hardLimit, type WebSocketTransportOptions } from "./options.ts";

/** A WebSocket that begins to connect, and the socket below it. */
export interface OpeningSocket {
  readonly webSocket: WebSocket;
  readonly socket: Socket;
}

/** Begins connections to one engine. Throws from the constructor what no later attempt could mend. */
export class WebSocketDialer {
  /** The engine's address, for messages; holds nothing secret. */
  readonly address: string;
  readonly #url: URL;
  readonly #options: ClientOptions;
  readonly #secureContext: SecureContext | undefined;

  constructor({ url, token, tls, maxMessageBytes = DEFAULT_MAX_REPLY_BYTES }: WebSocketTransportOptions) {
    this.#url = checkUrl(url);
    this.address = `${this.#url.protocol}//${this.#url.host}${this.#url.pathname.replace(/\/$/, "")}`;
    if (tls && this.#url.protocol !== "wss:") {
      throw new TypeError(
        `TLS material was given, but ${this.address} is not encrypted; the URL must begin with wss://`,
      );
    }
    this.#secureContext = this.#url.protocol === "wss:" ? secureContext(tls ?? {}) : undefined;
    this.#options = {
      perMessageDeflate: false,
      maxPayload: hardLimit(maxMessageBytes),
      // Text is checked where its id can still be told, so that one broken reply does not cost the link.
      skipUTF8Validation: true,
      // One pong answers all pings of a turn.
      autoPong: false,
      headers: authorization(token),
    };
  }

  dial(): OpeningSocket {
    const socket = this.#connect();
    const webSocket = new WebSocket(this.#url, CONTRACT_NAME, { ...this.#options, createConnection: () => socket });
    return { webSocket, socket };
  }

  #connect(): Socket {
    const host = this.#url.hostname.replace(/^\[|\]$/g, "");
    if (!this.#secureContext) return connectTcp({ host, port: Number(this.#url.port || 80) });
    const servername = isIP(host) === 0 ? host : "";
    return connectTls({ host, port: Number(this.#url.port || 443), servername, secureContext: this.#secureContext });
  }
}

function checkUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TypeError("The engine's URL must be one such as ws://127.0.0.1:8989");
  const url = new URL(text);
  if (url.protocol !== "ws:" && url.protocol !== "wss:") {
    throw new TypeError(`The engine's URL must begin with ws:// or wss://, not with ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("The engine's URL must hold no credentials; give a token instead");
  }
  if (url.hash !== "") throw new TypeError("The engine's URL must have no fragment (#...)");
  return url;
}

function secureContext({ ca, cert, key }: NonNullable<WebSocketTransportOptions["tls"]>): SecureContext {
  if ((cert === undefined) !== (key === undefined)) {
    throw new TypeError("A certificate and its private key belong together; only one of them was given");
  }
  try {
    checkAuthorities(ca);
    return createSecureContext({ ca, cert, key });
  } catch (cause) {
    throw new TypeError(`The TLS material for the engine cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function authorization(token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  // The token itself must not get into the message.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError("The engine's token must be printable ASCII without blanks");
  return { authorization: `Bearer ${token}` };
}

/** Common close codes (RFC 6455, section 7.4.1). */
const MEANINGS: Readonly<Record<number, string>> = {
  1000: "normal",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1007: "invalid data",
  1008: "policy violation",
  1009: "message too big",
  1011: "internal error",
  1012: "restart",
  1013: "try again later",
};

/** Describes why a connection ended; the reason from the other end is quoted and escaped. */
export function closeReason(code: number, reason: Buffer): string {
  if (code === 1005 || code === 1006) return "the connection broke off";
  const meaning = MEANINGS[code] ? `, ${MEANINGS[code]}` : "";
  const words = reason.length > 0 ? `: ${JSON.stringify(reason.toString())}` : "";
  return `the other end closed it (${code}${meaning})${words}`;
}

/** Message of a socket error; one for a host with several addresses has only a code. */
export function errorReason(error: Error): string {
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
