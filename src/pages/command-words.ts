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

/** A path that is left out, `null` or empty means everything. */
function isGiven(path: unknown): boolean {
  return path !== undefined && path !== null && path !== "";
}
