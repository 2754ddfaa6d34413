import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { RepositoryCopy } from "../support/repository-copy.ts";

/** A module of the build before, which a gateway that runs from it may yet load. */
const EARLIER = "dist/earlier.js";

describe("D-PKG 18: a build replaces the one before as a whole, when it is complete", () => {
  let copy: RepositoryCopy;

  beforeEach(() => {
    copy = new RepositoryCopy();
    onTestFinished(() => copy.close());
    mkdirSync(join(copy.folder, "dist"));
    writeFileSync(join(copy.folder, EARLIER), "");
  });

  const tsup = () => copy.node(["node_modules/tsup/dist/cli-default.js", "--silent"]);

  it("one that fails leaves it as it was", async () => {
    writeFileSync(join(copy.folder, "src/index.ts"), "export {");
    expect(await tsup()).toMatchObject({ code: 1 });
    expect(existsSync(join(copy.folder, EARLIER))).toBe(true);
  });

  it("a complete one keeps nothing of it, and leaves no other folder", async () => {
    expect(await tsup()).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(join(copy.folder, EARLIER))).toBe(false);
    expect(readFileSync(join(copy.folder, "dist/cli/main.js"), "utf8")).toContain("#!/usr/bin/env node");
    expect(readdirSync(copy.folder).filter((name) => name.startsWith("dist."))).toEqual([]);
  });
});
