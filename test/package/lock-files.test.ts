import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface LockedPackage {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
}

const lockedBy = (file: string): [string, LockedPackage][] => {
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
  return Object.entries(packages).filter(([path, { link }]) => path !== "" && !link);
};

describe("D-PKG 11: lock files pin the content of every package and no registry", () => {
  it.each(["package-lock.json", "test/tools/package-lock.json"])("%s", (file) => {
    const locked = lockedBy(file);
    expect(locked.length).toBeGreaterThan(0);
    const namesOf = (entries: typeof locked): string[] => entries.map(([path]) => path);
    // npm checks no digest of an entry without one, and leaves it away for packages of other systems.
    expect(namesOf(locked.filter(([, { integrity = "" }]) => !/^sha512-/.test(integrity)))).toEqual([]);
    expect(namesOf(locked.filter(([, { resolved }]) => resolved !== undefined))).toEqual([]);
  });
});
