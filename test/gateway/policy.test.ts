import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GatewayWorld, openGateway } from "../requirements/support/gateway.ts";
import { credentials, only } from "../support/access-files.ts";
import { aboutSeconds } from "../support/engine-clock.ts";
import type { RawReply } from "../support/raw-http.ts";
import { startHeldEngine } from "./held-engine.ts";

const DEADLINE = /by \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const HOUR = 3_600_000;
/** Longer than the test may take. */
const MINUTES = 300_000;

/** The minute so far from now, such as `09:25`, in UTC. */
function minuteAt(fromNowMs: number): string {
  return new Date(Date.now() + fromNowMs).toISOString().slice(11, 16);
}

let gateway: GatewayWorld | undefined;

beforeEach(() => {
  gateway = undefined;
});

afterEach(() => gateway?.close());

async function post(path: string, user = "chief", body = "{}"): Promise<RawReply> {
  if (!gateway) throw new Error("no gateway is open");
  const headers = { "Content-Type": "application/json" };
  return gateway.http({ method: "POST", path, headers, body, authorization: credentials(user) });
}

async function outcome(path: string, user?: string, body?: string): Promise<string> {
  const reply = await post(path, user, body);
  return reply.status === 200 ? "200" : `${reply.status} ${JSON.parse(reply.body).message}`;
}

describe("policies of a gateway", () => {
  it("may refuse every command, stops too (admin.policy.read-only), and the log says so at the start", async () => {
    gateway = await openGateway("admin.policy.read-only: true");
    expect(await outcome("/trading/halt")).toContain("403 haltTrading is refused: this installation is read-only");
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ level: "warn", msg: "admin.policy.read-only: every command is refused, stops too" }),
    );
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ stage: "denied", user: "chief", operation: "haltTrading", direction: "tightens" }),
    );
  });

  it("may allow stops and nothing else (admin.policy.stop-only: true)", async () => {
    gateway = await openGateway("admin.policy.stop-only: true");
    expect(await outcome("/trading/halt")).toBe("200");
    expect(await outcome("/trading/resume")).toContain("403 resumeTrading is refused: only stops pass");
  });

  it("may do so for some users; a name that nobody has is logged", async () => {
    gateway = await openGateway("admin.policy.stop-only: [CHIEF, cheif]");
    expect(await outcome("/trading/resume")).toContain('403 resumeTrading is refused: user "chief" may only stop');
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ msg: 'admin.policy names the user "cheif", who cannot log in' }),
    );
  });

  it("may keep a user to a part of the tree (admin.policy.paths)", async () => {
    gateway = await openGateway('admin.policy.paths:\n  chief: ["Account[GOLD]"]');
    expect(await outcome("/trading/halt", "chief", '{"projectionPath":"Account[GOLD]"}')).toBe("200");
    expect(await outcome("/trading/halt")).toContain("403 haltTrading is refused");
  });

  it("D-LOG 19: freeze by the engine's time where the gateway's clock is off, and say so", async () => {
    const engine = await startHeldEngine(0, 3 * HOUR);
    const windows = `admin.policy.freeze.windows: ["${minuteAt(3 * HOUR - MINUTES)}-${minuteAt(3 * HOUR + MINUTES)}"]`;
    gateway = await openGateway(`${engine.settings}${windows}`);
    // The reply to a halt tells the engine's time, unless it comes late.
    const resumedAfterHalt = async (): Promise<string> => {
      await outcome("/trading/halt");
      return outcome("/trading/resume");
    };
    const why = `by the engine's time: this gateway's clock is ${aboutSeconds(10_800)} s behind`;
    await expect.poll(resumedAfterHalt).toMatch(new RegExp(`^403 .* freeze window .*, ${why}$`));
    await gateway.close();
    gateway = await openGateway(
      `${engine.settings}admin.policy.freeze.windows: ["${minuteAt(-MINUTES)}-${minuteAt(MINUTES)}"]`,
    );
    await expect.poll(resumedAfterHalt).toBe("200");
    await engine.close();
  });

  it("keep the gateway from starting with an invalid path, which is named", async () => {
    await expect(openGateway('admin.policy.paths.chief: "Acount[GOLD]"')).rejects.toThrow("admin.policy.paths.chief");
  });

  it("may require two people (admin.policy.two-person): refused first, sent when a second user sends the same, with both in the record", async () => {
    gateway = await openGateway("admin.policy.two-person:\n  operations: [resumeTrading]\n  within: 5m");
    const first = await outcome("/trading/resume", "chief", '{"reason":"venue is back"}');
    expect(first).toContain('403 resumeTrading system-wide needs a second person: requested by "chief"');
    expect(first).toMatch(DEADLINE);
    expect(await outcome("/trading/resume")).toMatch(/^403/);
    expect(await outcome("/trading/resume", only("HALT_RESUME_TRADING"))).toBe("200");
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({
        stage: "applied",
        user: only("HALT_RESUME_TRADING"),
        annotations: expect.objectContaining({ requestedBy: "chief" }),
      }),
    );
  });
});
