import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentAt } from "../../src/files/package-files.ts";
import { PAGES } from "./pages.ts";

interface Link {
  readonly link: string | undefined;
}

interface SitePages {
  readonly NAVIGATION: readonly { readonly link: string }[];
  readonly TYPESCRIPT: string;
  addressOf(link: string): string;
  placeOf(page: string): string;
  targetOf(page: string, href: string, repository?: string): string | undefined;
  contents(): { readonly title: string; readonly items: readonly Link[] }[];
  welcome(): {
    readonly title: string;
    readonly sentence: string;
    readonly readers: readonly {
      readonly reader: string;
      readonly first: readonly Link[];
      readonly next: readonly Link[];
    }[];
  };
}

const ROOT = join(import.meta.dirname, "../..");
const { NAVIGATION, TYPESCRIPT, addressOf, placeOf, targetOf, contents, welcome }: SitePages = await import(
  join(ROOT, "deploy/site/pages.mjs")
);

/** Every place of the site, as links name it. */
const PLACES = new Set(PAGES.map((page) => `/${placeOf(page)}`));

describe("the site of the documents (D-DOC 20, D-DOC 21)", () => {
  it("each page of the repository has its own place on the site", () => {
    expect(new Set(PAGES.map(placeOf)).size).toBe(PAGES.length);
  });

  it("every entry of the site's menu leads to a page, and each part has one", () => {
    for (const { title, items } of contents()) {
      expect(items, title).not.toEqual([]);
      for (const { link = "" } of items) expect(PLACES).toContain(link);
    }
  });

  it("the start page has a card for each reader of README.md: one page to read first, and at least one after it", () => {
    const { title, sentence, readers } = welcome();
    expect([title, sentence]).toEqual([
      "trading-admin-api",
      expect.stringMatching(/^The administrative HTTP API .*\.$/),
    ]);
    const names = readers.map(({ reader }) => reader);
    expect(names).toEqual(
      expect.arrayContaining(["New here", "An operator", "Connecting your engine", "Assessing its security"]),
    );
    for (const { reader, first, next } of readers) {
      expect([reader, first.length, next.length > 0]).toEqual([reader, 1, true]);
      for (const { link = "" } of [...first, ...next]) expect(PLACES).toContain(link);
    }
  });

  it("what is at the top of each page leads to pages, from the reference of the TypeScript entries, too", () => {
    const addresses = new Set([...PLACES].map(addressOf));
    for (const { link } of NAVIGATION.filter((one) => one.link !== TYPESCRIPT)) {
      expect(addresses).toContain(addressOf(link));
    }
    expect(addressOf("/embed/index.md#users")).toBe("/embed/#users");
  });

  it("D-DOC 24: a message leads to a page of the site that the build names, otherwise to one of the package, and each page exists", () => {
    expect(documentAt("operate/start", "")).toBe("docs/operate/start.md");
    expect(documentAt("operate/start", "https://host/x/")).toBe(`https://host/x${addressOf("/operate/start.md")}`);
    const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const sources = files.map((name) => readFileSync(join(ROOT, "src", name), "utf8"));
    const named = sources.flatMap((text) =>
      [...text.matchAll(/documentAt\("([^"]+)"\)/g)].map(([, page = ""]) => page),
    );
    expect(named.length).toBeGreaterThan(3);
    for (const page of named) expect(PAGES).toContain(documentAt(page, ""));
  });

  it.each([
    ["docs/operate/start.md", "../reference/errors.md#codes", "/reference/errors.md#codes"],
    ["README.md", "docs/embed/README.md", "/embed/index.md"],
    ["docs/reference/openapi.md", "../openapi.json", "/openapi.json"],
    ["docs/cli.md", "#exit-codes", "#exit-codes"],
    ["docs/decisions.md", "../test/docs/links.test.ts", "https://host/files/test/docs/links.test.ts"],
  ])("on the site, a link of %s to %s leads to %s", (page, href, target) => {
    expect(targetOf(page, href, "https://host/files")).toBe(target);
  });

  it("a link to what the site does not have is text, unless the build says where the files are", () => {
    expect(targetOf("docs/decisions.md", "../test/docs/links.test.ts")).toBeUndefined();
  });

  it("the lock file of the site's generator names no server", () => {
    const lock = readFileSync(join(ROOT, "deploy/site/package-lock.json"), "utf8");
    expect(lock).not.toContain('"resolved"');
  });
});
