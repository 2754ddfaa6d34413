import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface LockedPackage {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
}

const FOLDERS = ["", "test/tools/", "deploy/site/"];

const lockedBy = (file: string): [string, LockedPackage][] => {
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages).filter(([path, { link }]) => path !== "" && !link);
};

describe("D-PKG 11: lock files pin the content of every package and no registry", () => {
  it.each(FOLDERS)("./%spackage-lock.json", (folder) => {
    const locked = lockedBy(`${folder}package-lock.json`);
    expect(locked.length).toBeGreaterThan(0);
    const namesOf = (entries: typeof locked): string[] => entries.map(([path]) => path);
    // npm checks no digest of an entry without one, and leaves it away for packages of other systems.
    expect(namesOf(locked.filter(([, { integrity = "" }]) => !/^sha512-/.test(integrity)))).toEqual([]);
    expect(namesOf(locked.filter(([, { resolved }]) => resolved !== undefined))).toEqual([]);
  });
});

describe("D-PKG 16: each package that has an install script is named, with whether it may run", () => {
  it.each(FOLDERS)("./%spackage.json", (folder) => {
    const { allowScripts } = JSON.parse(readFileSync(`${folder}package.json`, "utf8")) as { allowScripts: object };
    const withScripts = lockedBy(`${folder}package-lock.json`).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = withScripts.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
    expect(Object.keys(allowScripts).sort()).toEqual([...new Set(names)].sort());
  });
});
