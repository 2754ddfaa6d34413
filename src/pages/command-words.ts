type Fields = Readonly<Record<string, unknown>>;

const WORDS: Readonly<Record<string, (input: Fields) => string>> = {
  haltTrading: ({ projectionPath, cancelOrders }) => {
    if (isGiven(projectionPath)) return `Halt ${projectionPath}`;
    return cancelOrders === true ? "Halt all trading and cancel all working orders" : "Halt all trading";
  },
  resumeTrading: ({ projectionPath }) => `Resume ${isGiven(projectionPath) ? projectionPath : "all trading"}`,
  disableService: ({ name }) => `Disable ${name}`,
  enableService: ({ name }) => `Enable ${name}`,
  disableFixSession: ({ gateway, session }) => `Disable ${session} of ${gateway}`,
  enableFixSession: ({ gateway, session }) => `Enable ${session} of ${gateway}`,
  disconnectFixSession: ({ gateway, session }) => `Disconnect ${session} of ${gateway}`,
  adjustPosition: ({ projectionPath, size, relative }) =>
    relative === true
      ? `Add ${size} to the position ${projectionPath}`
      : `Set the position ${projectionPath} to ${size}`,
  updateRiskTable: ({ projection, commands }) => {
    const count = Array.isArray(commands) ? commands.length : 0;
    const table = isGiven(projection) ? projection : "of the root";
    return `Change the risk table ${table}, ${count} ${count === 1 ? "command" : "commands"}`;
  },
};

/** What a command does, in the words of its dialog and button; undefined for an operation that is none. */
export function commandWords(operation: string, input: Fields): string | undefined {
  return WORDS[operation]?.(input);
}

const CONSEQUENCES: Readonly<Record<string, (input: Fields) => string>> = {
  haltTrading: ({ projectionPath, cancelOrders }) => {
    const isNode = isGiven(projectionPath);
    const refused = `Every order of ${isNode ? "this node" : "the installation"} is refused until trading is resumed.`;
    if (cancelOrders !== true) return `${refused} Working orders stay in the market.`;
    if (isNode) return `${refused} Working orders stay in the market: only a halt of everything requests cancels.`;
    return `${refused} The engine requests the cancellation of all working orders; a venue may confirm it late, or not at all.`;
  },
  resumeTrading: ({ projectionPath }) =>
    isGiven(projectionPath)
      ? "Orders of this node are accepted again, unless trading is halted above it."
      : "Orders are accepted again. Nodes that were halted on their own stay halted.",
  disableService: () =>
    "The service accepts no orders until it is enabled again. Its working orders are not cancelled.",
  enableService: () => "The service accepts orders again.",
  disableFixSession: () =>
    "Its connection is dropped, and it cannot log on until it is enabled again. Its working orders stay in the market.",
  enableFixSession: () => "The session may log on again.",
  disconnectFixSession: () =>
    "Its connection is dropped. The counterparty may connect again immediately. Its working orders stay in the market.",
};

/** What follows from a command, and what it leaves as it is; empty for one whose words say all. */
export function commandConsequence(operation: string, input: Fields): string {
  return CONSEQUENCES[operation]?.(input) ?? "";
}

/** A path that is left out, `null` or empty means everything. */
function isGiven(path: unknown): boolean {
  return path !== undefined && path !== null && path !== "";
}
