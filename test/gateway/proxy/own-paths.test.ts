import { posix } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claimer } from "../../../src/gateway/proxy/own-paths.ts";
import { cases } from "../../support/extent.ts";
import { BASE, DISGUISED, OURS } from "./own-targets.ts";

const claims = claimer([BASE, "/v3/api-docs"]);

/** Targets that are the monitor's, whoever reads them. */
const THEIRS = [
  "/",
  "*",
  "",
  "/ui/index.html",
  "/api",
  "/api/",
  "/api/admin",
  "/api/admin/v2/trading",
  "/api/admin/v10",
  "/api/admin/v1x",
  "/apiadmin/v1",
  "/x/api/admin/v1",
  "/api/x/admin/v1",
  "/api/admin/v1%20",
  "/ui?path=/api/admin/v1",
  "/ui?back=/../api/admin/v1/trading/halt",
  "/a%20b/c%2fd;e=f//g",
  "/v3/api-docs.yml",
  "http://monitor.example",
  "http://api/admin/v1",
  "/%zz/%/x",
];

describe("D-GATE 1: whatever a reader might take for one of our paths is ours, and never forwarded", () => {
  it.each([...OURS, ...DISGUISED])("such as %s", (target) => {
    expect(claims(target)).toBe(true);
  });

  it.each(THEIRS)("unlike the monitor's: %s", (target) => {
    expect(claims(target)).toBe(false);
  });

  /** One way of writing a path that leads to the same one. */
  const disguises: readonly ((path: string, at: number) => string)[] = [
    (path, at) => encodedAt(path, 1 + (at % (path.length - 1))),
    (path, at) => insertedAtSlash(path, at, "/."),
    (path, at) => insertedAtSlash(path, at, "/x/.."),
    (path, at) => insertedAtSlash(path, at, "/%2e"),
    (path, at) => insertedAtSlash(path, at, "/"),
    (path, at) => insertedAtSlash(path, at, ";p=1"),
    (path, at) => insertedAtSlash(path, at, "/y/..;q"),
    (path) => path.replace(/^\//, "\\"),
    (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  ];

  function encodedAt(path: string, at: number): string {
    const code = path.charCodeAt(at).toString(16).padStart(2, "0");
    return `${path.slice(0, at)}%${code}${path.slice(at + 1)}`;
  }

  function insertedAtSlash(path: string, at: number, text: string): string {
    const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
    const index = slashes[at % slashes.length] ?? 0;
    return `${path.slice(0, index)}${text}${path.slice(index)}`;
  }

  it("property: such as any mixture of disguises of our paths", () => {
    const disguise = fc.tuple(fc.constantFrom(...disguises), fc.nat(1000));
    fc.assert(
      fc.property(fc.array(disguise, { maxLength: 4 }), fc.constantFrom("", "/trading/halt", "/x?y"), (chain, rest) => {
        const path = chain.reduce((written, [write, at]) => write(written, at), BASE);
        expect(claims(path.startsWith("/") ? path + rest : `/x/..${path}${rest}`), path).toBe(true);
      }),
      { numRuns: cases(5_000) },
    );
  });

  it("property: such as what the readers at hand take for one", () => {
    const gaps = [
      "/",
      "//",
      "%2f",
      "\\",
      "/./",
      "/x/../",
      "/x//../",
      "/%2e/",
      "/x/%2e%2e/",
      ";a/",
      "/;a/",
      "/x/..;/",
      "%5c",
      "%252f",
    ];
    const gap = fc.array(fc.constantFrom(...gaps), { minLength: 1, maxLength: 2 });
    const edge = fc.array(fc.constantFrom(...gaps, ".", "..", "#", "?", "x", ";"), { maxLength: 3 });
    const readers: readonly ((target: string) => string)[] = [
      (target) => new URL(target, "http://monitor.example").pathname,
      (target) => new URL(target.replace(/^\/+/, "/"), "http://monitor.example").pathname.replace(/\/{2,}/g, "/"),
      (target) => decodeURIComponent(new URL(target, "http://monitor.example").pathname),
      (target) => new URL(decodeURIComponent(target.replace(/\?.*/, "")), "http://monitor.example").pathname,
      (target) => new URL(target.replace(/\?.*/, "").replace(/;[^/]*/g, ""), "http://monitor.example").pathname,
      (target) => posix.normalize(decodeURIComponent(target.replace(/\?.*/, "").replaceAll("\\", "/"))),
    ];
    let readAsOurs = 0;
    const parts = fc.tuple(
      edge,
      fc.constantFrom("api", "%61pi"),
      gap,
      fc.constant("admin"),
      gap,
      fc.constant("v1"),
      edge,
    );
    fc.assert(
      fc.property(parts, (mixed) => {
        const target = `/${mixed.flat().join("")}`;
        for (const read of readers) {
          const path = readOrNothing(read, target);
          if (path !== BASE && !path.startsWith(`${BASE}/`)) continue;
          readAsOurs += 1;
          expect(claims(target), `${target} is read as ${path}`).toBe(true);
        }
      }),
      { numRuns: cases(20_000) },
    );
    expect(readAsOurs).toBeGreaterThan(cases(1_000));
  });

  it("such as a target with more readings than can be examined", () => {
    expect(claims(`/%${"25".repeat(20)}`)).toBe(false);
    expect(claims(`/%${"25".repeat(5_000)}`)).toBe(true);
  });
});

/** What a reader makes of a target; nothing where it takes it for no target at all. */
function readOrNothing(read: (target: string) => string, target: string): string {
  try {
    return read(target);
  } catch {
    return "";
  }
}
