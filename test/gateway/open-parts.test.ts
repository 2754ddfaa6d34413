import { createServer, type Server } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ListenError } from "../../src/gateway/server/server.ts";
import { OpenParts } from "../../src/gateway/start-api.ts";
import { InstallationFolder } from "./folder.ts";

describe("D-GATE 13: what was opened is closed, whatever fails meanwhile", () => {
  it("closes in the reverse order, each part once, and reports all failures with the first one first", async () => {
    const parts = new OpenParts();
    const closed: string[] = [];
    const part = (name: string, fails: boolean, wait: Promise<void> | undefined) => () => {
      closed.push(name);
      if (fails) throw new Error(`${name} failed`);
      return wait;
    };
    parts.add(part("first", false, undefined));
    parts.add(() => Promise.reject(new Error("later failed")));
    parts.add(part("second", true, undefined));
    parts.add(part("third", false, Promise.resolve()));
    const failure = await parts.close().catch((error: unknown) => error);
    expect(closed).toEqual(["third", "second", "first"]);
    expect(failure).toBeInstanceOf(AggregateError);
    expect(failure).toMatchObject({
      message: "Not everything could be closed: second failed; later failed",
      errors: [new Error("second failed"), new Error("later failed")],
    });
    await parts.close();
    expect(closed).toHaveLength(3);
  });
});

describe("D-GATE 13: a start that fails", () => {
  let folder: InstallationFolder;
  let taken: Server;

  beforeEach(async () => {
    folder = new InstallationFolder();
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    taken.close();
    await folder.close();
  });

  it("rejects with its own reason, and the log has what could not be closed", async () => {
    const add = vi.spyOn(OpenParts.prototype, "add").mockImplementationOnce(function (this: OpenParts, close) {
      this.add(close);
      this.add(() => Promise.reject(new Error("a part failed")));
    });
    const { port } = taken.address() as { port: number };
    await expect(folder.start(`server.port: ${port}\nserver.address: 127.0.0.1`)).rejects.toBeInstanceOf(ListenError);
    expect(add).toHaveBeenCalled();
    expect(folder.log()).toContainEqual(
      expect.objectContaining({ level: "error", msg: "Not everything could be closed: a part failed" }),
    );
  });
});
