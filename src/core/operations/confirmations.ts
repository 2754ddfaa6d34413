// Without zod, as pages in browsers and the command line use it.
import type { Confirmation } from "./operation.ts";

/** Confirmations of the operations whose reply alone does not say that they have been applied; `target` is the input of the read. */
export const CONFIRMATIONS = {
  haltTrading: {
    read: "getTradingStatus",
    state: "trading is halted {projectionPath}",
    shown: [{ field: "halted", is: true }],
    repeats: ["reason"],
    cancels: "cancelOrders",
    target: ["projectionPath"],
  },
  resumeTrading: {
    read: "getTradingStatus",
    state: "trading is not halted {projectionPath}",
    shown: [{ field: "halted", is: false }],
    repeats: ["reason"],
    target: ["projectionPath"],
  },
  disableService: {
    read: "getService",
    state: "service {name} is disabled",
    shown: [{ field: "enabled", is: false }],
    target: ["name"],
  },
  enableService: {
    read: "getService",
    state: "service {name} is enabled",
    shown: [{ field: "enabled", is: true }],
    target: ["name"],
  },
  disableFixSession: {
    read: "getFixSession",
    state: "FIX session {session} of gateway {gateway} is disabled",
    shown: [{ field: "status", is: "Disabled" }],
    target: ["gateway", "session"],
  },
  enableFixSession: {
    read: "getFixSession",
    state: "FIX session {session} of gateway {gateway} is enabled",
    shown: [{ field: "status", isNot: "Disabled" }],
    target: ["gateway", "session"],
  },
  disconnectFixSession: {
    read: "getFixSession",
    state: "FIX session {session} of gateway {gateway} has lost its connection",
    shown: [
      { field: "status", isNot: "Connected" },
      { field: "connectTimestamp", changed: true },
    ],
    target: ["gateway", "session"],
  },
} as const satisfies Readonly<Record<string, Confirmation & { readonly target: readonly string[] }>>;
