import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT } from "../package/build.ts";
import { outputOf } from "../support/output-of.ts";

interface BillOfMaterials {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** `name@version` of the packages below a folder of packages, those that are nested in others too. */
function packagesIn(folder: string): string[] {
  const folders = readdirSync(folder).flatMap((entry) =>
    entry.startsWith("@") ? readdirSync(join(folder, entry)).map((name) => join(entry, name)) : [entry],
  );
  return folders.flatMap((entry) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, entry, "package.json"), "utf8"));
    const nested = readdirSync(join(folder, entry)).includes("node_modules");
    return [`${name}@${version}`, ...(nested ? packagesIn(join(folder, entry, "node_modules")) : [])];
  });
}

it("D-PKG 12: the bill of materials of the image lists what the image holds, optional packages too", () => {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-image-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  outputOf(process.execPath, ["deploy/assemble.mjs", folder], { cwd: ROOT });
  const { components } = JSON.parse(readFileSync(join(folder, "app/sbom.cdx.json"), "utf8")) as BillOfMaterials;
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  expect([...listed].toSorted()).toEqual([...new Set(packagesIn(join(folder, "app/node_modules")))].toSorted());
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(["ldapts", "ws", "zod"]));
});
