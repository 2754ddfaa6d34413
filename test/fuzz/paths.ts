import fc from "fast-check";

const NAMES = [
  "SIM",
  "TWAP",
  "NASDAQ1",
  "OE1",
  "FIXCLIENT1",
  "MD1",
  "NOWHERE",
  "A%2FB",
  "%E2%82%AC",
  "%00",
  "constructor",
];
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1 }).map((text) => encodeURIComponent(text)) },
);

const INSERTS = ["/", "//", "/../", "/./", "..", "%2F", "%2f..", "%2e%2e", "%", "%z1", "%00", "%FF", "%e2%82", "%252F"];
const inserts = fc.constantFrom(
  ...INSERTS,
  ";a=b",
  ";jsessionid=1",
  "#x",
  "\\",
  '"',
  "<",
  "\u00e9",
  "+",
  "*",
  "{name}",
  "~",
  "A",
);

/** Turns the path of an endpoint into another, or leaves it as it is. */
export type PathChange = (path: string) => string;

/** Puts something in, and takes something out, anywhere. */
const damages = fc.tuple(fc.nat(), fc.nat(3), inserts).map(([place, lost, inserted]): PathChange => {
  return (path) => {
    const at = 1 + (place % path.length);
    return path.slice(0, at) + inserted + path.slice(at + lost);
  };
});

/** Exchanges the names in a path. */
const renamings = name.map(
  (text): PathChange =>
    (path) =>
      path.replaceAll(/TWAP|OE1|FIXCLIENT1/g, text),
);

const randomPaths = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."/abz09.%2Fe;:@&=+$,-_~!*'()[]|^\u00ff") }).map((path) => `/${path}`),
  fc.constantFrom("", "/", "//", "/.", "/..", "/../../../etc/passwd", "/__proto__", "/trading/STATUS", "/services/"),
  fc.integer({ min: 5_000, max: 12_000 }).map((length) => `/services/${"%41".repeat(length / 3)}`),
);

const QUERIES = [
  "?",
  "?&&",
  "?=",
  "?projection=",
  "?projection=Account/Symbol",
  "?projection=Nowhere",
  "?projection=%zz",
];
/** Queries, `?` included; most requests have none. */
export const queries: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: fc.constant("") },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...QUERIES, "?projectionPath=Account%5BGOLD%5D", "?projectionPath=Account[GOLD]"),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("?__proto__=1", "?projectionPath=&projectionPath=", "?a=b=c?d", "?x=%00%ff"),
  },
  { weight: 1, arbitrary: fc.webQueryParameters().map((query) => `?${query}`) },
);

const ELSEWHERE = [
  "/",
  "*",
  "/api/admin/v2/services",
  "/API/admin/v1/services",
  "//api/admin/v1/services",
  "/favicon.ico",
];
/** Targets that are not below the base path. */
export const elsewhere: fc.Arbitrary<string> = fc.constantFrom(
  ...ELSEWHERE,
  "/api/admin/v1x",
  "/api/admin",
  "/v3/api-docs",
  "/./api/admin/v1/services",
);

/** What becomes of the path of an endpoint. */
export const pathChanges: fc.Arbitrary<PathChange> = fc.oneof(
  { weight: 12, arbitrary: fc.constant<PathChange>((path) => path) },
  { weight: 4, arbitrary: renamings },
  { weight: 4, arbitrary: damages },
  {
    weight: 1,
    arbitrary: randomPaths.map(
      (path): PathChange =>
        () =>
          path,
    ),
  },
);
