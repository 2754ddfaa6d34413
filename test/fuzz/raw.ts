import fc from "fast-check";
import { credentials } from "../support/access-files.ts";
import { ANONYMOUS_ID } from "./requests.ts";

/** Bytes for a connection, and what may come back for them. */
export interface RawRequest {
  /** Written one after the other, so that the server may see them apart. */
  readonly pieces: readonly Buffer[];
  /** Whether there are valid credentials anywhere in the bytes. */
  readonly authenticated: boolean;
  /** There are no more replies than this. */
  readonly atMost: number;
  /** The statuses that have to come, where they are certain. */
  readonly exactly?: readonly number[];
}

const BASE = "/api/admin/v1";

/** Who sends a request: somebody who may do everything, or a stranger whose request ids give him away. */
interface Caller {
  readonly authenticated: boolean;
  readonly headers: string;
}

const callers = fc.constantFrom<Caller>(
  { authenticated: true, headers: `Host: x\r\nAuthorization: ${credentials("chief")}\r\n` },
  { authenticated: false, headers: `Host: x\r\nX-Request-Id: ${ANONYMOUS_ID}raw\r\n` },
);

function read({ headers }: Caller): string {
  return `GET ${BASE}/trading/status HTTP/1.1\r\n${headers}\r\n`;
}

function write({ headers }: Caller, framing: string, body: string): string {
  return `POST ${BASE}/trading/halt HTTP/1.1\r\n${headers}Content-Type: application/json\r\n${framing}\r\n${body}`;
}

const HALT = '{"reason":"fuzz"}';

function whole(caller: Caller): string {
  return write(caller, `Content-Length: ${HALT.length}\r\n`, HALT);
}

type Bytes = Omit<RawRequest, "pieces"> & { readonly text: string };

/** Cuts a text into at most three pieces. */
function cut({ text, ...rest }: Bytes, first: number, second: number): RawRequest {
  const places = [first % (text.length + 1), second % (text.length + 1)].sort((a, b) => a - b);
  const parts = [text.slice(0, places[0]), text.slice(places[0], places[1]), text.slice(places[1])];
  return { ...rest, pieces: parts.filter((part) => part !== "").map((part) => Buffer.from(part, "latin1")) };
}

const LINES: readonly string[] = [
  "",
  " ",
  "GET",
  "GET /",
  `GET ${BASE}/services`,
  `GET ${BASE}/services HTTP`,
  `GET ${BASE}/services HTTP/`,
  `GET ${BASE}/services HTTP/0.9`,
  `GET ${BASE}/services HTTP/1`,
  `GET ${BASE}/services HTTP/1.2`,
  `GET ${BASE}/services HTTP/2.0`,
  `GET ${BASE}/services HTTP/9.9`,
  `GET ${BASE}/services http/1.1`,
  `get ${BASE}/services HTTP/1.1`,
  `GET ${BASE}/services HTTP/1.1 x`,
  `GET  ${BASE}/services HTTP/1.1`,
  ` GET ${BASE}/services HTTP/1.1`,
  `\r\n\r\nGET ${BASE}/services HTTP/1.1`,
  `GET\t${BASE}/services\tHTTP/1.1`,
  `GET ${BASE}/serv\0ices HTTP/1.1`,
  `GET ${BASE}/serv ices HTTP/1.1`,
  `GET ${BASE}/\x7f\x80\xff HTTP/1.1`,
  `GET http:// HTTP/1.1`,
  `GET http://x:99999${BASE}/services HTTP/1.1`,
  `GET //${BASE}/services HTTP/1.1`,
  "GET ? HTTP/1.1",
  "GET # HTTP/1.1",
  "PRI * HTTP/2.0",
  "CONNECT x:1 HTTP/1.1",
  `CONNECT ${BASE}/services HTTP/1.1`,
  "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
  `${"A".repeat(70_000)} / HTTP/1.1`,
  `GET /${"a".repeat(20_000)} HTTP/1.1`,
];

const brokenLines = fc
  .tuple(callers, fc.constantFrom(...LINES))
  .map(([caller, line]) => ({ ...caller, text: `${line}\r\n${caller.headers}\r\n`, atMost: 1 }));

const HEADERS: readonly string[] = [
  "X\0: 1",
  "X: a\x00b",
  "X: a\rb",
  "X: a\nb",
  "X : 1",
  ": 1",
  "novalue",
  "X: 1\r\n folded: 2",
  " X: 1",
  "X\x80: 1",
  "X-Request-Id: a\x01b",
  "X-Request-Id: a\r\n X-Injected: 1",
  "Host: other",
  "Content-Length: -1",
  "Content-Length: 0x10",
  "Content-Length: 99999999999999999999",
  "Content-Length: 1, 1",
  "Transfer-Encoding: identity",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding : chunked",
  "Connection: keep-alive, close, upgrade\r\nUpgrade: h2c",
  "Expect: \x7f",
  "Authorization: Basic \xff\xfe",
  `X: ${"y".repeat(17_000)}`,
  "a: b\r\n".repeat(3_000).trimEnd(),
  `${"n".repeat(66_000)}: 1`,
];

const brokenHeaders = fc.tuple(callers, fc.constantFrom(...HEADERS), fc.boolean()).map(([caller, header, last]) => {
  const lines = last ? `${caller.headers}${header}\r\n` : `${header}\r\n${caller.headers}`;
  return { ...caller, text: `GET ${BASE}/services HTTP/1.1\r\n${lines}\r\n`, atMost: 2 };
});

const CHUNKS: readonly string[] = [
  "zz\r\n{}\r\n0\r\n\r\n",
  "-2\r\n{}\r\n0\r\n\r\n",
  "FFFFFFFFFFFFFFFFF\r\n{}",
  "2\r\n{}0\r\n\r\n",
  "2\n{}\n0\n\n",
  "2 \r\n{}\r\n0\r\n\r\n",
  "3\r\n{}\r\n0\r\n\r\n",
  "1\r\n{}\r\n0\r\n\r\n",
  "2;a=b;c\r\n{}\r\n0\r\n\r\n",
  `2;${"e".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  "2\r\n{}\r\n0\r\nX-Trailer: 1\r\n\r\n",
  "2\r\n{}\r\n0\r\nAuthorization: Basic x\r\n\r\n",
  "2\r\n{}\r\n0\r\nX\0: 1\r\n\r\n",
  "2\r\n{}\r\n",
  "2\r\n{",
  "\r\n\r\n",
];

const badChunks = fc.tuple(callers, fc.constantFrom(...CHUNKS)).map(([caller, chunks]) => {
  return { ...caller, text: write(caller, "Transfer-Encoding: chunked\r\n", chunks), atMost: 2 };
});

const FRAMINGS: readonly string[] = [
  "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
  "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
  "Content-Length: 4\r\nContent-Length: 400\r\n",
  "Content-Length: 4\r\nContent-Length: 4\r\n",
  "Content-Length: +4\r\n",
  "Content-Length: 4 4\r\n",
  "Transfer-Encoding: \tchunked\r\nContent-Length: 0\r\n",
  "Transfer-Encoding: chunked, identity\r\n",
  "transfer-encoding:\x0bchunked\r\nContent-Length: 4\r\n",
  "Content-Length: 0\r\n",
];

/** A request within the body of another: a stranger's must never gain the credentials of the one around it. */
const smuggled = fc.tuple(callers, fc.constantFrom(...FRAMINGS)).map(([caller, framing]) => {
  const inner = `POST ${BASE}/trading/resume HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${ANONYMOUS_ID}smuggled\r\nX: `;
  return { ...caller, text: write(caller, framing, `0\r\n\r\n${inner}`), atMost: 3 };
});

const GARBAGE = [
  "\0\0\0\0\r\n\r\n",
  "garbage\r\n\r\n",
  "\x16\x03\x01",
  "GET",
  "}",
  "\r\n\r\n\r\n",
  "{}\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
];

/** Requests one behind the other, and garbage behind the last. */
const pipelined = fc
  .tuple(callers, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }), fc.constantFrom(...GARBAGE))
  .map(([caller, writes, garbage]) => {
    const requests = writes.map((isWrite) => (isWrite ? whole(caller) : read(caller)));
    return { ...caller, text: requests.join("") + garbage, atMost: writes.length + 1 };
  });

/** Requests one behind the other without a fault: each has its response. */
const sound = fc.tuple(callers, fc.array(fc.boolean(), { minLength: 1, maxLength: 4 })).map(([caller, writes]) => ({
  ...caller,
  text: writes.map((isWrite) => (isWrite ? whole(caller) : read(caller))).join(""),
  atMost: writes.length,
  exactly: writes.map(() => (caller.authenticated ? 200 : 401)),
}));

/** A request in which a few bytes are others, missing or too many. */
const flipped = fc
  .tuple(callers, fc.boolean(), fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.nat(255)), { minLength: 1, maxLength: 5 }))
  .map(([caller, isWrite, faults]) => {
    const text = faults.reduce(
      (sofar, [place, lost, byte]) => {
        const at = place % sofar.length;
        return sofar.slice(0, at) + String.fromCharCode(byte) + sofar.slice(at + lost);
      },
      isWrite ? whole(caller) : read(caller),
    );
    return { ...caller, text, atMost: 3 };
  });

const truncated = fc.tuple(callers, fc.nat()).map(([caller, length]) => {
  const text = whole(caller);
  return { ...caller, text: text.slice(0, length % text.length), atMost: 2 };
});

const noise = fc
  .uint8Array({ minLength: 1, maxLength: 400 })
  .map((bytes) => ({ authenticated: false, text: Buffer.from(bytes).toString("latin1"), atMost: 1 }));

/** Byte sequences that are not HTTP, or hardly. */
export const rawRequests: fc.Arbitrary<RawRequest> = fc
  .tuple(
    fc.oneof<fc.MaybeWeightedArbitrary<Bytes>[]>(
      { weight: 3, arbitrary: brokenLines },
      { weight: 3, arbitrary: brokenHeaders },
      { weight: 2, arbitrary: badChunks },
      { weight: 2, arbitrary: smuggled },
      { weight: 2, arbitrary: pipelined },
      { weight: 1, arbitrary: sound },
      { weight: 4, arbitrary: flipped },
      { weight: 1, arbitrary: truncated },
      { weight: 1, arbitrary: noise },
    ),
    fc.nat(),
    fc.nat(),
  )
  .map(([bytes, first, second]) => cut(bytes, first, second));
