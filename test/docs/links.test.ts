import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { readText } from "./bus-files.ts";
import { PAGES, proseOf } from "./pages.ts";

const START = "docs/README.md";

interface Link {
  /** Path of the target from the root of the project. */
  readonly path: string;
  readonly anchor: string | undefined;
}

/** Links of a page that stay within the project. */
function linksOf(page: string): Link[] {
  const targets = proseOf(readText(page)).flatMap((line) =>
    [...line.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, target = ""]) => target),
  );
  return targets.map((target) => {
    const [file = "", anchor] = target.split("#");
    return { path: file === "" ? page : normalize(join(dirname(page), file)), anchor };
  });
}

/** Anchors of a page's headings, made as GitHub makes them. */
function anchorsOf(page: string): Set<string> {
  const headings = proseOf(readText(page)).flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

function isBroken({ path, anchor }: Link): boolean {
  if (!existsSync(path)) return true;
  return anchor !== undefined && path.endsWith(".md") && !anchorsOf(path).has(anchor);
}

/** Pages that a reader comes to from the start page, whatever number of links it takes. */
function reachablePages(): Set<string> {
  const found = new Set([START]);
  for (const page of found) {
    for (const { path } of linksOf(page)) if (path.endsWith(".md") && existsSync(path)) found.add(path);
  }
  return found;
}

describe("links of the documents", () => {
  it.each(PAGES)("%s links to files and headings that exist", (page) => {
    expect(linksOf(page).filter(isBroken)).toEqual([]);
  });

  it("every page can be reached from the start page", () => {
    const reachable = reachablePages();
    expect(PAGES.filter((page) => !reachable.has(page))).toEqual([]);
  });

  it("a link to a missing file or heading is found", () => {
    expect(isBroken({ path: "docs/missing.md", anchor: undefined })).toBe(true);
    expect(isBroken({ path: START, anchor: "no-such-heading" })).toBe(true);
    expect(isBroken({ path: START, anchor: undefined })).toBe(false);
  });
});
