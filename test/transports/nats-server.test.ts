import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { findNatsServer } from "../support/nats-binary.ts";
import { startNatsServer } from "../support/nats-server.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nats-binary-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe("the test command finds or provisions a nats-server and says how", () => {
  test("with NATS_SERVER first, then the search path", async () => {
    const program = join(folder, "nats-server");
    await writeFile(program, "#!/bin/sh\n");
    vi.stubEnv("NATS_SERVER", undefined);
    vi.stubEnv("PATH", `${folder}${delimiter}${process.env.PATH}`);
    await chmod(program, 0o755);
    expect(await findNatsServer()).toMatchObject({ path: program, how: "found on this machine" });
    const other = join(folder, "another");
    await writeFile(other, "#!/bin/sh\n", { mode: 0o755 });
    vi.stubEnv("NATS_SERVER", other);
    expect(await findNatsServer()).toMatchObject({ path: other, how: "named by NATS_SERVER" });
  });

  test("with an error for a NATS_SERVER that is not a program, rather than another one", async () => {
    vi.stubEnv("NATS_SERVER", join(folder, "nowhere"));
    await expect(findNatsServer()).rejects.toThrow(/^NATS_SERVER names .*nowhere, which is not a program/);
  });

  test("with what it said for a server that does not start", async () => {
    await expect(startNatsServer({ configuration: "nonsense {" })).rejects.toThrow(/did not start:\n.*Parse error/s);
  });
});
