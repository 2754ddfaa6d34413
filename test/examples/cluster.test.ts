import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Ended, requireCommand } from "../cli/command.ts";
import { blockOf } from "../deploy/document.ts";
import { ROOT } from "../package/build.ts";
import { CLEAN_ENVIRONMENT } from "../package/consumer.ts";
import { findProgram } from "../support/find-program.ts";
import { HAPROXY } from "../support/haproxy.ts";
import { findNatsServer } from "../support/nats-binary.ts";

const FOLDER = join(ROOT, "examples", "cluster");
const DRILL = join(FOLDER, "drill.mjs");
const DRILLS = ["halt-elsewhere", "kill-gateway", "rolling-restart", "freeze-gateway", "freeze-nats", "two-people"];

/** Runs it until it ends, which on a busy machine takes a while. */
function drill(names: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: FOLDER, env: { ...CLEAN_ENVIRONMENT, ...environment } };
    const child = execFile(process.execPath, [DRILL, ...names], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

async function programs(): Promise<Record<string, string>> {
  const [nats, haproxy] = [await findNatsServer(), await findProgram(HAPROXY.program)];
  const { LD_LIBRARY_PATH: libraries = "" } = haproxy.environment;
  return { NATS_SERVER: nats.path, HAPROXY: haproxy.path, LD_LIBRARY_PATH: libraries };
}

async function haproxyConfiguration(port: number, gateways: readonly string[]): Promise<string> {
  const example = (await import(join(FOLDER, "haproxy.mjs"))) as {
    haproxyConfiguration: (port: number, gateways: readonly string[]) => string;
  };
  return example.haproxyConfiguration(port, gateways);
}

describe("examples/cluster", () => {
  it.each(DRILLS)(
    "D-GATE 19: the drill %s is carried out on three NATS servers, an engine, two gateways and HAProxy, and shows what it should",
    { timeout: 300_000 },
    async (name) => {
      requireCommand();
      const { code, stdout, stderr } = await drill([name], await programs());
      const lines = stdout.split("\n").filter((line) => line.startsWith("  "));
      expect([lines.filter((line) => !line.startsWith("  seen ")), stderr, code]).toEqual([[], "", 0]);
      expect(lines.length).toBeGreaterThan(0);
    },
  );

  it("lists its drills, and starts nothing for one that it does not have", async () => {
    const { code, stdout } = await drill([]);
    expect([code, [...stdout.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)]).toEqual([0, DRILLS]);
    const unknown = await drill(["freeze-nast"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, "there is no drill freeze-nast\n"]);
  });

  it("says which program is missing", async () => {
    const { code, stderr } = await drill(["two-people"], { NATS_SERVER: "/no/such" });
    expect([code, stderr]).toEqual([1, "NATS_SERVER names /no/such, which does not exist\n"]);
  });

  it("has the HAProxy of docs/deploy/proxies.md, without TLS, in the script and in compose.yaml", async () => {
    const documented = new Set(blockOf("deploy/proxies.md", "haproxy").split("\n"));
    const own = await haproxyConfiguration(8988, ["10.0.0.11:8988", "10.0.0.12:8988"]);
    const lines = own.split("\n").filter((line) => !documented.has(line));
    expect(lines).toEqual(["    bind 127.0.0.1:8988"]);
    const { configs, services } = parse(readFileSync(join(FOLDER, "compose.yaml"), "utf8"), { merge: true });
    const inContainers = (await haproxyConfiguration(8988, ["gateway-1:8988", "gateway-2:8988"]))
      .replace("bind 127.0.0.1:", "bind :")
      .replaceAll(/(server gateway-\d gateway-\d:8988)/g, "$1 port 8990");
    expect(configs.haproxy.content.trim()).toBe(inContainers.trim());
    const names = ["nats-1", "nats-2", "nats-3", "engine", "gateway-1", "gateway-2", "haproxy"];
    expect(Object.keys(services)).toEqual(names);
  });
});
