import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PAGES } from "./pages.ts";

interface SitePages {
  placeOf(page: string): string;
  targetOf(page: string, href: string, repository?: string): string | undefined;
  contents(): { readonly title: string; readonly items: readonly { readonly link: string | undefined }[] }[];
}

const ROOT = join(import.meta.dirname, "../..");
const { placeOf, targetOf, contents }: SitePages = await import(join(ROOT, "deploy/site/pages.mjs"));

describe("the site of the documents (D-DOC 20, D-DOC 21)", () => {
  it("each page of the repository has its own place on the site", () => {
    expect(new Set(PAGES.map(placeOf)).size).toBe(PAGES.length);
  });

  it("every entry of the site's menu leads to a page, and each part has one", () => {
    const places = new Set(PAGES.map((page) => `/${placeOf(page)}`));
    for (const { title, items } of contents()) {
      expect(items, title).not.toEqual([]);
      for (const { link = "" } of items) expect(places).toContain(link);
    }
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
