import { type Fields, isObject } from "../values/basics.ts";
import { groupDigits, isDecimalText } from "../values/decimal-text.ts";
import { isConditions, rowName, UNLIMITED } from "./row-names.ts";
import type { CommandName } from "./table.ts";

/** How a command is described to people. Without zod, since a halt must not wait for that, and for pages in browsers. */
export interface CommandWords {
  /** The command in a line of text: `halt trading at Account[GOLD]`. */
  readonly sentence: (input: Fields) => string;
  /** The same as a heading or on a button: `Halt Account[GOLD]`. */
  readonly heading: (input: Fields) => string;
  /** Whether the heading has every value that is set. */
  readonly hasValues?: (input: Fields) => boolean;
  /** Consequences, and what stays unchanged; absent where the heading says all. */
  readonly consequence?: (input: Fields) => string;
  /** The state that it brings about, as a preview shows it; absent where that needs the state before. */
  readonly result?: string;
  /** Words that have to be typed before it is sent from a page; only for what starts something. */
  readonly typed?: (input: Fields) => string;
}

/** Of a stop that lasts, while nobody knows whether it was done: what to do next. */
export const STOP_AGAIN = "sending it again does no harm, otherwise stop it at the engine";

const ORDERS_STAY = "Working orders stay in the market.";
const ITS_ORDERS_STAY = "Its working orders stay in the market.";

export const COMMAND_WORDS: Readonly<Record<CommandName, CommandWords>> = {
  haltTrading: {
    sentence: ({ projectionPath }) => `halt trading ${placeOf(projectionPath)}`,
    heading: ({ projectionPath, cancelOrders }) => {
      if (isGiven(projectionPath)) return `Halt ${text(projectionPath)}`;
      return cancelOrders === true ? "Halt all trading and cancel all working orders" : "Halt all trading";
    },
    consequence: ({ projectionPath, cancelOrders }) => {
      const isNode = isGiven(projectionPath);
      const refused = `Every order of ${isNode ? "this node" : "the installation"} is refused until trading is resumed.`;
      if (cancelOrders !== true) return `${refused} ${ORDERS_STAY}`;
      if (isNode) return `${refused} Working orders stay in the market: only a halt of everything requests cancels.`;
      return `${refused} The engine requests the cancellation of all working orders; a venue may confirm it late, or not at all.`;
    },
  },
  resumeTrading: {
    sentence: ({ projectionPath }) => `resume trading ${placeOf(projectionPath)}`,
    heading: ({ projectionPath }) => `Resume ${isGiven(projectionPath) ? text(projectionPath) : "all trading"}`,
    consequence: ({ projectionPath }) =>
      isGiven(projectionPath)
        ? "Orders of this node are accepted again, unless trading is halted above it."
        : "Orders are accepted again. Nodes that were halted individually stay halted.",
    result: "halted: no",
    typed: ({ projectionPath }) => (isGiven(projectionPath) ? "RESUME" : "RESUME ALL"),
  },
  updateRiskTable: {
    sentence: ({ projection }) => `update the risk table ${tableOf(projection)}`,
    heading: ({ projection, commands }) => {
      const count = Array.isArray(commands) ? commands.length : 0;
      const counted = `${count} ${count === 1 ? "command" : "commands"}`;
      return oneLimitWords(commands) ?? `Change the risk table ${tableOf(projection)}, ${counted}`;
    },
    hasValues: ({ commands }) => oneLimitWords(commands) !== undefined,
  },
  adjustPosition: {
    sentence: ({ projectionPath }) => `adjust the position ${placeOf(projectionPath)}`,
    heading: ({ projectionPath, size, relative }) =>
      relative === true
        ? `Add ${text(size)} to the position ${text(projectionPath)}`
        : `Set the position ${text(projectionPath)} to ${text(size)}`,
    hasValues: () => true,
  },
  disableService: {
    sentence: ({ name }) => `disable service ${text(name)}`,
    heading: ({ name }) => `Disable ${text(name)}`,
    consequence: () => "The service accepts no orders until it is enabled again. Its working orders are not cancelled.",
  },
  enableService: {
    sentence: ({ name }) => `enable service ${text(name)}`,
    heading: ({ name }) => `Enable ${text(name)}`,
    consequence: () => "The service accepts orders again.",
    result: "enabled: yes",
    typed: () => "ENABLE",
  },
  disableFixSession: {
    sentence: (input) => `disable ${sessionOf(input)}`,
    heading: (input) => `Disable ${shortSessionOf(input)}`,
    consequence: () => `Its connection is dropped, and it cannot log on until it is enabled again. ${ITS_ORDERS_STAY}`,
  },
  enableFixSession: {
    sentence: (input) => `enable ${sessionOf(input)}`,
    heading: (input) => `Enable ${shortSessionOf(input)}`,
    consequence: () => "The session may log on again.",
    result: "may log on again",
    typed: () => "ENABLE",
  },
  disconnectFixSession: {
    sentence: (input) => `disconnect ${sessionOf(input)}`,
    heading: (input) => `Disconnect ${shortSessionOf(input)}`,
    consequence: () => `Its connection is dropped. The counterparty may connect again immediately. ${ITS_ORDERS_STAY}`,
  },
};

/** The words of a command; undefined for an operation that is none. */
export function commandWords(operation: string): CommandWords | undefined {
  return Object.hasOwn(COMMAND_WORDS, operation) ? COMMAND_WORDS[operation as CommandName] : undefined;
}

/** Where in the tree: a projection path, or everywhere. */
export function placeOf(projectionPath: unknown): string {
  return isGiven(projectionPath) ? `at ${text(projectionPath)}` : "system-wide";
}

function tableOf(projection: unknown): string {
  return isGiven(projection) ? text(projection) : "of the root";
}

/** The one change that the commands make; undefined where they make several, or none that has words. */
function oneLimitWords(commands: unknown): string | undefined {
  const [command, ...others]: readonly unknown[] = Array.isArray(commands) ? commands : [];
  if (others.length > 0 || !isObject(command) || !isConditions(command.conditions)) return undefined;
  const row = rowName(command.conditions);
  if (command.type === "DELETE") return `Delete the row ${row}`;
  const [limit, ...more] = Object.entries(isObject(command.limits) ? command.limits : {});
  if (!limit || more.length > 0) return undefined;
  const [name, value] = limit;
  return `Set ${name} of ${row} to ${limitWords(value)}${command.type === "INSERT" ? ", a new row" : ""}`;
}

/** The value of a limit for people, its thousands grouped. */
export function limitWords(value: unknown): string {
  if (value === null) return UNLIMITED;
  return isDecimalText(value) ? groupDigits(String(value)) : text(value);
}

function sessionOf({ gateway, session }: Fields): string {
  return `FIX session ${text(session)} of gateway ${text(gateway)}`;
}

function shortSessionOf({ gateway, session }: Fields): string {
  return `${text(session)} of ${text(gateway)}`;
}

/** A path that is left out, `null` or empty means everything. */
function isGiven(path: unknown): boolean {
  return path !== undefined && path !== null && path !== "";
}

/** Values other than text as JSON: a command is described as it was given, also where the API refuses it. */
function text(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
