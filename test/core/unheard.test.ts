import { describe, expect, it } from "vitest";
import { AdminApi } from "../../src/core/admin-api.ts";
import { AdminError } from "../../src/core/errors.ts";
import { principal } from "../../src/core/principal.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { MemoryAudit, startTestRig } from "../../src/testing/rig.ts";
import { InProcessBus } from "../../transports/in-process.ts";
import { warningsDuring } from "../support/warnings.ts";

const ALICE = principal("alice", ["HALT_RESUME_TRADING"]);

/** An API without an engine. */
function apiAlone(options: Partial<ConstructorParameters<typeof AdminApi>[0]> = {}): AdminApi {
  return new AdminApi({ transport: new InProcessBus(), audit: new MemoryAudit(), stopCheck: false, ...options });
}

function status(api: AdminApi): Promise<unknown> {
  return api.as(ALICE, { requestId: "r-1" }).getTradingStatus();
}

describe("D-LOG 27: what nobody listens to becomes a warning of the process", () => {
  it("a failure, with its cause, what it belongs to, and how to have it elsewhere", async () => {
    const api = apiAlone();
    await api.start();
    const warnings = await warningsDuring(() => expect(status(api)).rejects.toMatchObject({ status: 503 }));
    expect(warnings).toEqual([
      "The engine message bus is not available\n" +
        "requestId: r-1, operation: getTradingStatus, code: ENGINE_UNAVAILABLE\n" +
        "No engine is on the bus\n" +
        "(give AdminApi a `log`, or listen with `api.on`, to have this elsewhere)",
    ]);
    await api.close();
  });

  it("equal ones once a minute, others each", async () => {
    const clock = new ManualClock();
    const api = apiAlone({ clock });
    const fail = (cause: string): void =>
      api.reportFailure("r", new AdminError("INTERNAL", "It failed", { cause: new Error(cause) }));
    const causes = async (...all: string[]): Promise<(string | undefined)[]> => {
      const warnings = await warningsDuring(() => all.forEach(fail));
      return warnings.map((warning) => /Error: (\w+)/.exec(warning)?.[1]);
    };
    expect(await causes("disk", "disk", "directory", "disk")).toEqual(["disk", "directory"]);
    clock.advance(59_999);
    expect(await causes("disk")).toEqual([]);
    clock.advance(1);
    expect(await causes("disk")).toEqual(["disk"]);
    await api.close();
  });

  it("without control characters of what others have written", async () => {
    const api = apiAlone();
    const cause = new Error("halted\u001b[2J by \u202eeve\r");
    const fail = () => api.reportFailure("r\n1", new AdminError("INTERNAL", "It\u0007 failed", { cause }));
    const [warning = ""] = await warningsDuring(fail);
    expect(warning).toContain("It\\u0007 failed\nrequestId: r\\u000a1");
    expect(warning).toContain("halted\\u001b[2J by \\u202eeve\\u000d\n");
    await api.close();
  });

  it("not what has a listener, as long as it has one", async () => {
    const api = apiAlone();
    const remove = api.on("failure", () => {});
    expect(await warningsDuring(() => status(api).catch(() => {}))).toEqual([]);
    remove();
    expect(await warningsDuring(() => status(api).catch(() => {}))).toHaveLength(1);
    await api.close();
  });

  it("not what goes to the log of the host, which also has events that are listened to", async () => {
    const lines: string[] = [];
    const write = (message: string): void => void lines.push(message);
    const api = apiAlone({ log: { info: write, warn: write, error: write } });
    api.on("failure", () => {});
    expect(await warningsDuring(() => status(api).catch(() => {}))).toEqual([]);
    expect(lines).toEqual([expect.stringContaining("The engine message bus is not available")]);
    await api.close();
  });

  it("a record that a sink does not take, although the stop is sent", async () => {
    const audit = new MemoryAudit();
    audit.failure = new Error("disk full");
    const api = apiAlone({ audit });
    const warnings = await warningsDuring(() => expect(api.as(ALICE).haltTrading()).rejects.toThrow());
    expect(warnings.join("\n")).toMatch(/AUDIT RECORD LOST[\s\S]*disk full/);
    await api.close();
  });
});

describe("a rig", () => {
  it("warns of what the parts of its test throw, and not of the faults that the test brings about", async () => {
    const broken = (): never => {
      throw new Error("no such desk");
    };
    const rig = await startTestRig({ authorize: broken });
    rig.faults.add({ operation: "getTradingStatus", kind: "unavailable" });
    const warnings = await warningsDuring(async () => {
      await expect(rig.as("chief").getTradingStatus()).rejects.toThrow();
      await expect(rig.as("chief").resumeTrading()).rejects.toThrow();
    });
    expect(warnings).toEqual([expect.stringMatching(/code: POLICY_FAILED\nError: no such desk/)]);
    await rig.close();
  });
});

describe("an engine that is not available", () => {
  it("is said to be the host's doing before the API was started, and after it was closed", async () => {
    const api = apiAlone();
    await expect(status(api)).rejects.toThrow(
      "The engine message bus is not available: the API was not started, its host has to call api.start()",
    );
    await api.start();
    await expect(status(api)).rejects.toThrow(/^The engine message bus is not available$/);
    await api.close();
    await expect(status(api)).rejects.toThrow("The engine message bus is not available: the API was closed");
  });
});

describe("an API without one of its parts", () => {
  it.each([
    [{ audit: new MemoryAudit() }, "AdminApi needs `transport`"],
    [{ transport: new InProcessBus() }, "AdminApi needs `audit`"],
    // What is not awaited, as of openAuditFile, is no sink.
    [{ transport: new InProcessBus(), audit: Promise.resolve(new MemoryAudit()) }, "await openAuditFile"],
    [undefined, "AdminApi needs `transport`"],
  ])("is refused when it is made: %o", (options, message) => {
    expect(() => new AdminApi(options as never)).toThrow(message);
  });
});
