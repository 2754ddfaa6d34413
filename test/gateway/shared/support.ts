import { randomUUID } from "node:crypto";
import { keptLog } from "../../../src/core/logger.ts";
import { PERMISSIONS, type Permission } from "../../../src/core/principal.ts";
import { NatsApprovals } from "../../../src/gateway/shared/nats-approvals.ts";
import { SharedNats } from "../../../src/gateway/shared/shared-nats.ts";
import { twoPerson } from "../../../src/policy/index.ts";
import { startTestRig, type TestRig } from "../../../src/testing/rig.ts";
import { until } from "../../support/until.ts";

export const WITHIN_MS = 60_000;

/** What a call ended with: its reason where a policy refused it. */
async function ended(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "sent",
    ({ code, message }: { code: string; message: string }) => (code === "POLICY_DENIED" ? message : code),
  );
}

/** A gateway's API over its own simulated engine, whose approvals are on NATS. Its clock is the machine's, as that of the servers is. */
export class Gateway {
  readonly log = keptLog();
  readonly rig: TestRig;
  readonly #shared: SharedNats;

  private constructor(rig: TestRig, shared: SharedNats) {
    this.rig = rig;
    this.#shared = shared;
  }

  /** `users` are those who are known at this gateway now; everybody unless given. */
  static async open(urls: string, name: string, users?: () => readonly string[]): Promise<Gateway> {
    const shared = new SharedNats({ servers: urls.split(",") }, () => {});
    const { log } = keptLog();
    const store = new NatsApprovals(shared, { withinMs: WITHIN_MS, stepMs: 10_000, log });
    const permissions: ReadonlySet<Permission> = new Set(PERMISSIONS);
    const policy = twoPerson({
      operations: ["resumeTrading", "adjustPosition"],
      withinMs: WITHIN_MS,
      store,
      gateway: name,
      storeTimeoutMs: 30_000,
      ...(users && { permissionsOf: (user: string) => (users().includes(user) ? permissions : undefined) }),
    });
    const rig = await startTestRig({ policy });
    shared.start();
    await until(() => shared.connection, "the gateway is connected");
    return new Gateway(rig, shared);
  }

  resume(user: string, path: string, reason?: string): Promise<string> {
    const input = { projectionPath: path, ...(reason !== undefined && { reason }) };
    return ended(this.rig.as(user, { requestId: `${user}-${randomUUID().slice(0, 8)}` }).resumeTrading(input));
  }

  async close(): Promise<void> {
    await this.rig.close();
    await this.#shared.close();
  }
}

let paths = 0;

/** A node that no other case asks for. */
export function freshPath(): string {
  paths += 1;
  return `Account[T${paths}]`;
}
