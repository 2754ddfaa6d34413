import { logLinkEvent } from "../../../transports/link/link-events.ts";
import type { SharedLoginFailures } from "../../auth/throttle/login-delays.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../core/clock.ts";
import type { Logger } from "../../core/logger.ts";
import type { ApprovalStore } from "../../policy/approvals.ts";
import { sharedNatsSettings } from "../engine/engine-settings.ts";
import { installed, nameOfGateway } from "../from-settings.ts";
import type { SharedNats } from "./shared-nats.ts";

/** State shared with other gateways over NATS. */
export interface Shared {
  /** Not started yet. */
  readonly nats: SharedNats;
  readonly sharedFailures: SharedLoginFailures;
  /** Where changes wait for a second person, if that is here. */
  readonly approvals: ApprovalStore | undefined;
}

/**
 * Opens what this gateway shares with the others of its installation; undefined where the settings name no NATS servers. Throws
 * `ConfigurationError` when they do not fit together.
 */
export async function openShared(settings: Settings, log: Logger): Promise<Shared | undefined> {
  const link = await sharedNatsSettings(settings);
  if (!link) return undefined;
  const { SharedNats, SharedFailedLogins } = await installed(load, "admin.shared.nats", "@nats-io/transport-node");
  const { urls, ...login } = link;
  const nats = new SharedNats({ servers: urls, ...login }, (event) => logLinkEvent(event, log));
  const sharedFailures = new SharedFailedLogins(nats, nameOfGateway(settings), systemClock, log);
  return { nats, sharedFailures, approvals: await openApprovals(settings, nats, log) };
}

/** Parts of half a request's time that one step of the store may take, so that a few of them fit into it. */
const STEPS = 5;

async function openApprovals(settings: Settings, nats: SharedNats, log: Logger): Promise<ApprovalStore | undefined> {
  const store = settings["admin.policy.two-person.store"];
  if (store !== "nats" || !settings["admin.policy.two-person.operations"]) return undefined;
  const loadStore = (): Promise<typeof import("./nats-approvals.ts")> => import("./nats-approvals.ts");
  const packages = "@nats-io/jetstream @nats-io/kv";
  const { NatsApprovals } = await installed(loadStore, "admin.policy.two-person.store: nats", packages);
  const stepMs = settings["admin.engine.request-timeout"] / 2 / STEPS;
  return new NatsApprovals(nats, { withinMs: settings["admin.policy.two-person.within"], stepMs, log });
}

/** Imports what needs the NATS client, an optional package. */
async function load(): Promise<typeof import("./shared-nats.ts") & typeof import("./failed-logins.ts")> {
  return { ...(await import("./shared-nats.ts")), ...(await import("./failed-logins.ts")) };
}
