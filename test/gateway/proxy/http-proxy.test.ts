import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));

function filesWith(pattern: RegExp): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.filter((file) => pattern.test(readFileSync(join(SOURCES, file), "utf8")));
}

describe("D-PKG 4: http-proxy stays in one file", () => {
  it("which alone imports it", () => {
    expect(filesWith(/from "http-proxy"/)).toEqual(["gateway/proxy/http-proxy.ts"]);
  });

  it("and what needs it is loaded only when there is a monitor", () => {
    expect(filesWith(/from "[^"]*\/monitor-proxy\.ts"/)).toEqual(["gateway/proxy/monitor.ts"]);
    const monitor = readFileSync(join(SOURCES, "gateway/proxy/monitor.ts"), "utf8");
    expect(monitor).toMatch(/import type \{ MonitorProxy \} from "\.\/monitor-proxy\.ts"/);
    expect(monitor).toMatch(/await import\("\.\/monitor-proxy\.ts"\)/);
  });
});
