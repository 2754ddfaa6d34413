import type { AdminClient } from "../../client/client.ts";
import {
  confirmHalted,
  confirmResumed,
  confirmServiceDisabled,
  confirmServiceEnabled,
  confirmSessionDisabled,
  confirmSessionEnabled,
} from "../../client/confirm.ts";
import type { Input, OperationName, Output } from "../../core/operations/table.ts";
import { utc } from "./time.ts";

type Session = Input<"getFixSession">;
type SessionState = Output<"getFixSession">;
type TradingState = Output<"getTradingStatus">;

/** A command as an operator sees it: what its button says, what it does, and how the page proves that it was done. */
export interface PageCommand {
  readonly operation: OperationName;
  /** Heading and button of the dialog, "Halt Account[GOLD]". */
  readonly words: string;
  readonly consequence: string;
  /** Word that has to be typed first; only for what starts something. */
  readonly typed?: string;
  /** Projection path of the node that is halted or resumed; "" for all trading. */
  readonly node?: string;
  /** Whether the command takes a reason. */
  readonly takesReason: boolean;
  send(client: AdminClient, reason: string): Promise<unknown>;
  /** Reads until the engine shows what was asked for, and says what it showed. Rejects with `NotConfirmedError`. */
  prove(client: AdminClient): Promise<string>;
}

/** Seldom enough to be polite, often enough for a person who waits. */
const PROOF = { intervalMs: 500, timeoutMs: 12_000 };

/** A reason that was left out is for the server to fill in. */
function reasonGiven(reason: string): { readonly reason?: string } {
  return reason === "" ? {} : { reason };
}

/** Halts a node, or everything at the path "". */
export function halt(projectionPath: string, cancelOrders: boolean): PageCommand {
  const isRoot = projectionPath === "";
  const cancels = isRoot && cancelOrders;
  return {
    operation: "haltTrading",
    words: `Halt ${isRoot ? "all trading" : projectionPath}${cancels ? " and cancel all working orders" : ""}`,
    consequence: `${isRoot ? "Every order of the installation" : "Every order of this node"} is refused until trading is resumed. ${
      cancels ? "All working orders are cancelled." : "Working orders stay in the market."
    }`,
    node: projectionPath,
    takesReason: true,
    send: (client, reason) =>
      client.haltTrading({ projectionPath, ...(cancels && { cancelOrders }), ...reasonGiven(reason) }),
    prove: async (client) => tradingProof(await confirmHalted(client, projectionPath, PROOF)),
  };
}

/** Resumes a node, or what a system-wide halt stopped. */
export function resume(projectionPath: string): PageCommand {
  const isRoot = projectionPath === "";
  return {
    operation: "resumeTrading",
    words: isRoot ? "Resume all trading" : `Resume ${projectionPath}`,
    consequence: isRoot
      ? "Orders are accepted again. Nodes that were halted on their own stay halted."
      : "Orders of this node are accepted again, unless trading is halted above it.",
    node: projectionPath,
    typed: "RESUME",
    takesReason: true,
    send: (client, reason) => client.resumeTrading({ projectionPath, ...reasonGiven(reason) }),
    prove: async (client) => tradingProof(await confirmResumed(client, projectionPath, PROOF)),
  };
}

/** Stops a service from accepting orders. */
export function disableService(name: string): PageCommand {
  return {
    operation: "disableService",
    words: `Disable ${name}`,
    consequence: "The service accepts no orders until it is enabled again.",
    takesReason: true,
    send: (client, reason) => client.disableService({ name, ...reasonGiven(reason) }),
    prove: async (client) => serviceProof(await confirmServiceDisabled(client, name, PROOF)),
  };
}

/** Lets a service accept orders. */
export function enableService(name: string): PageCommand {
  return {
    operation: "enableService",
    words: `Enable ${name}`,
    consequence: "The service accepts orders again.",
    typed: "ENABLE",
    takesReason: true,
    send: (client, reason) => client.enableService({ name, ...reasonGiven(reason) }),
    prove: async (client) => serviceProof(await confirmServiceEnabled(client, name, PROOF)),
  };
}

/** Drops a session's connection and refuses further logons. */
export function disableSession(session: Session): PageCommand {
  return {
    operation: "disableFixSession",
    words: `Disable ${nameOf(session)}`,
    consequence: "Its connection is dropped, and it cannot log on until it is enabled again.",
    takesReason: false,
    send: (client) => client.disableFixSession(session),
    prove: async (client) => sessionProof(await confirmSessionDisabled(client, session, PROOF)),
  };
}

/** Lets a disabled session log on. */
export function enableSession(session: Session): PageCommand {
  return {
    operation: "enableFixSession",
    words: `Enable ${nameOf(session)}`,
    consequence: "The session may log on again.",
    typed: "ENABLE",
    takesReason: false,
    send: (client) => client.enableFixSession(session),
    prove: async (client) => sessionProof(await confirmSessionEnabled(client, session, PROOF)),
  };
}

/** Drops a session's connection. */
export function disconnectSession(session: Session): PageCommand {
  return {
    operation: "disconnectFixSession",
    words: `Disconnect ${nameOf(session)}`,
    consequence: "Its connection is dropped. The counterparty may connect again at once.",
    takesReason: false,
    send: (client) => client.disconnectFixSession(session),
    // The counterparty may be back already: what is shown is the state, with the time of its connection.
    prove: async (client) => sessionProof(await client.getFixSession(session)),
  };
}

function nameOf({ gateway, session }: Session): string {
  return `${session} of ${gateway}`;
}

function readBack(): string {
  return `Read from the engine at ${utc(Date.now())}`;
}

function tradingProof({ projectionPath, halted, reason }: TradingState): string {
  const what = projectionPath === "" ? "All trading" : projectionPath;
  const state = halted ? "is halted" : projectionPath === "" ? "runs" : "is not halted";
  return `${what} ${state}${reason === null ? "" : ` (${reason})`}. ${readBack()}.`;
}

function serviceProof({ name, enabled }: Output<"getService">): string {
  return `${name} is ${enabled ? "enabled" : "disabled"}. ${readBack()}.`;
}

function sessionProof({ gatewayName, sessionId, status, connectTimestamp }: SessionState): string {
  const since = status === "Connected" && connectTimestamp !== null ? `, connected at ${utc(connectTimestamp)}` : "";
  return `${sessionId} of ${gatewayName} is ${status}${since}. ${readBack()}.`;
}
