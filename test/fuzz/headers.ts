import fc from "fast-check";
import { credentials, USERS } from "../support/access-files.ts";

/** One header; the same name may come more than once. */
export type Header = readonly [name: string, value: string];

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const jsonType = fc.constantFrom(
  "application/json",
  "application/json; charset=utf-8",
  'APPLICATION/JSON;charset="UTF-8"',
);
const otherTypes = [
  "text/plain",
  "application/xml",
  "application/json; charset=latin1",
  "*/*",
  ";",
  "a".repeat(500),
  "\u00ff",
  "",
];
const oddHeaders: readonly Header[] = [
  ["Content-Encoding", "gzip"],
  ["Content-Encoding", "identity"],
  ["Content-Encoding", "compress, x"],
  ["Content-Type", "application/json"],
  ["Accept", "text/html"],
  ["Accept-Encoding", "br"],
  ["Cookie", "SESSION=1"],
  ["Connection", "close"],
  ["Expect", "100-continue"],
  ["Expect", "the unexpected"],
  ["Upgrade", "websocket"],
  ["X-HTTP-Method-Override", "DELETE"],
  ["X-Forwarded-For", "127.0.0.1"],
  ["X-Original-URL", "/api/admin/v1/services"],
  ["If-None-Match", "*"],
  ["Range", "bytes=0-0"],
  ["Origin", "http://elsewhere.test"],
  ["__proto__", "1"],
  ["traceparent", TRACE],
  ["traceparent", "00-zz"],
  ["X-Request-Id", "desk-7_a.B"],
  ["X-Request-Id", "not an id"],
  ["X-Request-Id", "x".repeat(65)],
  ["X-Large", "y".repeat(20_000)],
];
/** Headers that an API does not expect, or not in this way. */
export const extraHeaders: fc.Arbitrary<readonly Header[]> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<readonly Header[]>([]) },
  { weight: 30, arbitrary: fc.array(fc.constantFrom(...oddHeaders.slice(0, -1)), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constant(oddHeaders.slice(-1)) },
);
/** The type of the body, right, wrong or missing. */
export const contentTypes: fc.Arbitrary<readonly Header[]> = fc
  .oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: jsonType },
    { weight: 1, arbitrary: fc.constantFrom(...otherTypes) },
  )
  .map((type): readonly Header[] => (type === undefined ? [] : [["Content-Type", type]]));

const encoded = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const right = fc.oneof(
  { weight: 4, arbitrary: fc.constant(credentials("chief")) },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(USERS).map(credentials)) },
  { weight: 1, arbitrary: fc.constant(credentials("chief").replace("Basic ", "bAsIC ")) },
);
const WRONG = [
  encoded("chief:wrong"),
  encoded("nobody:x"),
  encoded("chief"),
  encoded(":"),
  encoded("\u0000:\u0000"),
  "Basic",
];
const wrong = fc.oneof(
  fc.constantFrom(
    ...WRONG,
    "Basic ?",
    "Bearer x.y.z",
    "Basic //79",
    "\u00ff",
    "",
    `${credentials("chief")} x`,
    encoded("chief:".padEnd(9_000, "x")),
  ),
  fc.base64String().map((text) => `Basic ${text}`),
);
/** Who sends a request, and how he says so. */
interface Caller {
  /** Whether the credentials are right. */
  readonly authenticated: boolean;
  readonly headers: readonly Header[];
}

function caller(authenticated: boolean, ...values: readonly string[]): Caller {
  return { authenticated, headers: values.map((value) => ["Authorization", value]) };
}

/** Callers with and without valid credentials; the same ones twice are none. */
export const callers: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 16, arbitrary: right.map((value) => caller(true, value)) },
  { weight: 3, arbitrary: wrong.map((value) => caller(false, value)) },
  { weight: 1, arbitrary: fc.constantFrom(caller(false), caller(false, credentials("chief"), credentials("chief"))) },
);
