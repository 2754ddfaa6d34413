import { writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseSettings } from "../../src/config/load.ts";
import { connectionCapacity, openFileLimit } from "../../src/gateway/server/system-limits.ts";
import { outputOf } from "../support/output-of.ts";
import { InstallationFolder } from "./folder.ts";

describe("D-LOAD 10: no more connections are accepted than the operating system has descriptors for", () => {
  const capacity = (yaml: string, openFiles: number | undefined) =>
    connectionCapacity(parseSettings(yaml, "application.yaml"), { openFiles, memory: undefined });

  it.each<[string, string, number | undefined, number]>([
    ["as many as are set, where they fit", "server.max-connections: 872", 1000, 872],
    ["as many as fit", "server.max-connections: 873", 1000, 872],
    [
      "fewer than half as many with a monitor, to which 64 connections may be idle",
      "server.max-connections: 873\ngateway.monitor.url: http://127.0.0.1:1",
      1000,
      404,
    ],
    ["fewer with a management port, which has 64", "server.max-connections: 873\nmanagement.server.port: 0", 1000, 808],
    [
      "fewer with TLS, whose handshakes take half as many",
      "server.max-connections: 873\nserver.ssl.key-store: a.p12",
      1000,
      581,
    ],
    ["the default within the usual limit", "", 1024, 896],
    ["the default within the limit of a container", "", 1_048_576, 8192],
    ["one at least", "", 10, 1],
    ["as many as are set, where the limit is not known", "", undefined, 8192],
  ])("with %s", (_name, yaml, openFiles, connections) => {
    expect(capacity(yaml, openFiles).connections).toBe(connections);
  });

  it("and the start warns with setting, limit and what to raise, only when they do not fit", () => {
    expect(capacity("", 1024).warning).toBe(
      "server.max-connections is 8192, but the process may open 1024 files and sockets only, so that 896 connections fit; " +
        "raise the limit to 8320 (ulimit -n, LimitNOFILE of systemd), or lower server.max-connections",
    );
    expect(capacity("", 8320).warning).toBeUndefined();
    expect(capacity("gateway.monitor.url: http://127.0.0.1:1", 8320).warning).toContain("raise the limit to 16576");
  });

  it("nor than there is memory for: a pod would be killed below its limit on connections", () => {
    const within = (memory: number, yaml = "") =>
      connectionCapacity(parseSettings(yaml, "application.yaml"), { openFiles: 1_048_576, memory });
    expect(within(512 * 1024 * 1024)).toEqual({
      connections: 2048,
      warning:
        "server.max-connections is 8192, but the process may use 512 MiB of memory only, so that 2048 connections fit; " +
        "raise the limit to 1280 MiB, or lower server.max-connections",
    });
    expect(within(1280 * 1024 * 1024)).toEqual({ connections: 8192, warning: undefined });
    expect(within(128 * 1024 * 1024, "server.max-connections: 500").warning).toBeUndefined();
  });

  describe("the limit of the process", () => {
    let folder: InstallationFolder;
    beforeEach(() => {
      folder = new InstallationFolder();
    });
    afterEach(() => folder.close());

    it.runIf(process.platform === "linux")("is the one that its children inherit", () => {
      const inherited = outputOf("sh", ["-c", "ulimit -n"]).trim();
      expect(openFileLimit()).toBe(inherited === "unlimited" ? undefined : Number(inherited));
    });

    it.each([
      ["Max open files            4096                 524288               files", 4096],
      ["Max open files            unlimited            unlimited            files", undefined],
      ["nothing of the kind", undefined],
    ])("%j", (line, limit) => {
      writeFileSync(
        folder.file("limits"),
        `Limit  Soft Limit  Hard Limit  Units\nMax processes  1  1  processes\n${line}\n`,
      );
      expect(openFileLimit(folder.file("limits"))).toBe(limit);
    });

    it("is unknown where there is no such file", () => {
      expect(openFileLimit(folder.file("none"))).toBeUndefined();
    });
  });
});
