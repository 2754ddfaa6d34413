// Generated from src/core/operations/table.ts by "npm run docs"; do not edit.

/** What an editor shows of each operation: a type that is mapped from this one keeps its comments. */
export interface CallDocs {
  /**
   * Kill switch state of a path (`GET /trading/status`, any user).
   *
   * The state of the path itself. An order is refused if any path above it is halted too; look at those separately.
   *
   * - `projectionPath`, "" unless given. Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source,
   * Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   */
  readonly getTradingStatus: unknown;
  /**
   * Halt trading system-wide or at a path (`POST /trading/halt`, permission `HALT_RESUME_TRADING`).
   *
   * The halt is asynchronous: confirm it with the status read. With `cancelOrders` and a system-wide halt, the engine requests the
   * cancellation of all working orders; open sizes of positions show the result. For a node the flag has no effect, and
   * `X-Admin-Warning` says so. An empty 200 means that the engine accepted the command.
   *
   * - `projectionPath`, "" unless given. Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source,
   * Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   * - `reason`, "Trading halted" unless given. Reason, recorded in the audit log.
   * - `cancelOrders`, false unless given. Request the cancellation of all working orders; honored only for a system-wide halt.
   */
  readonly haltTrading: unknown;
  /**
   * Resume trading system-wide or at a path (`POST /trading/resume`, permission `HALT_RESUME_TRADING`).
   *
   * Resuming the root leaves the halts of nodes in place. An empty 200 means that the engine accepted the command.
   *
   * - `projectionPath`, "" unless given. Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source,
   * Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   * - `reason`, "Trading resumed" unless given. Reason, recorded in the audit log.
   */
  readonly resumeTrading: unknown;
  /**
   * Risk table of a projection (`GET /risk/table`, any user).
   *
   * Rows and limits of the table. `null` means unlimited.
   *
   * - `projection`, "" unless given. Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination,
   * Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   */
  readonly getRiskTable: unknown;
  /**
   * Apply commands to a risk table, all or none (`POST /risk/update`, permission `CHANGE_RISK_LIMITS`).
   *
   * The keys of `conditions` are exactly the keys of the projection. INSERT of an existing row and DELETE of a missing one are
   * rejected with the reason; UPDATE inserts where missing. Returns the table after the update. The commands have at most 4,000 limits
   * in all.
   *
   * - `projection`, required. Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination,
   * Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   * - `commands`, required.
   */
  readonly updateRiskTable: unknown;
  /**
   * Positions of a projection (`POST /positions`, any user).
   *
   * Read-only despite POST. The projection has to be configured in the engine. Each given filter narrows the result; positions are
   * returned across all order sources.
   *
   * - `projection`, required. Projection: projection keys joined by `/`. Empty means the root level. Keys: Source, Destination,
   * Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   * - `source`, null unless given.
   * - `destination`, null unless given.
   * - `account`, null unless given.
   * - `traderId`, null unless given.
   * - `traderGroup`, null unless given.
   * - `exchange`, null unless given.
   * - `userData`, null unless given.
   * - `symbol`, null unless given. Also matches Currency and RootSymbol projections.
   * - `moduleKey`, null unless given.
   * - `portfolioKey`, null unless given.
   */
  readonly listPositions: unknown;
  /**
   * Set or change the position of a node (`POST /positions/adjust`, permission `POSITION_ADJUSTMENT`).
   *
   * Changes only the named node. With `relative` the size is added to the current one, else it replaces it. `NaN` as average cost or
   * realized PnL stops tracking that value. An empty 200 means that the engine accepted the command.
   *
   * - `projectionPath`, required. Projection path: `Key[value]` segments joined by `/`. Empty means system-wide. Keys: Source,
   * Destination, Account, Trader, TraderGroup, Exchange, UserData, Symbol, RootSymbol, Currency, ModuleKey, PortfolioKey.
   * - `size`, required. New size, or the change when `relative` is true.
   * - `relative`, false unless given. true adds to the current value, false replaces it.
   * - `averageCost`, null unless given.
   * - `realizedPnL`, null unless given.
   */
  readonly adjustPosition: unknown;
  /**
   * All services (`GET /services`, any user).
   *
   * All trade connectors and algorithms.
   *
   */
  readonly listServices: unknown;
  /**
   * One service (`GET /services/{name}`, any user).
   *
   * A trade connector or an algorithm.
   *
   * - `name`, required. Name of the service.
   */
  readonly getService: unknown;
  /**
   * Stop a service from accepting orders (`POST /services/{name}/disable`, permission `ENABLE_DISABLE_SERVICE`).
   *
   * The service accepts no orders until it is enabled; its working orders are not cancelled. An empty 200 means that the engine
   * accepted the command.
   *
   * - `name`, required. Name of the service.
   * - `reason`, "Service disabled" unless given. Reason, recorded in the audit log.
   */
  readonly disableService: unknown;
  /**
   * Let a service accept orders again (`POST /services/{name}/enable`, permission `ENABLE_DISABLE_SERVICE`).
   *
   * An empty 200 means that the engine accepted the command.
   *
   * - `name`, required. Name of the service.
   * - `reason`, "Service enabled" unless given. Reason, recorded in the audit log.
   */
  readonly enableService: unknown;
  /**
   * All FIX gateways (`GET /fix/gateways`, any user).
   *
   * The gateways in their short form.
   *
   */
  readonly listFixGateways: unknown;
  /**
   * One FIX gateway (`GET /fix/gateways/{gateway}`, any user).
   *
   * The gateway with its counters.
   *
   * - `gateway`, required. Name of the FIX gateway.
   */
  readonly getFixGateway: unknown;
  /**
   * All sessions of a FIX gateway (`GET /fix/gateways/{gateway}/sessions`, any user).
   *
   * The sessions in their short form.
   *
   * - `gateway`, required. Name of the FIX gateway.
   */
  readonly listFixSessions: unknown;
  /**
   * One FIX session (`GET /fix/gateways/{gateway}/sessions/{session}`, any user).
   *
   * The session with its addresses, times and counters.
   *
   * - `gateway`, required. Name of the FIX gateway.
   * - `session`, required. Id of the FIX session.
   */
  readonly getFixSession: unknown;
  /**
   * Drop a FIX session's connection and refuse further logons (`POST /fix/gateways/{gateway}/sessions/{session}/disable`, permission
   * `CONTROL_FIX_SESSION`).
   *
   * Takes no body. Working orders of the session stay in the market. Returns the state of the session after the command, read back
   * from the engine.
   *
   * - `gateway`, required. Name of the FIX gateway.
   * - `session`, required. Id of the FIX session.
   */
  readonly disableFixSession: unknown;
  /**
   * Let a disabled FIX session log on again (`POST /fix/gateways/{gateway}/sessions/{session}/enable`, permission
   * `CONTROL_FIX_SESSION`).
   *
   * Takes no body. Returns the state of the session after the command, read back from the engine.
   *
   * - `gateway`, required. Name of the FIX gateway.
   * - `session`, required. Id of the FIX session.
   */
  readonly enableFixSession: unknown;
  /**
   * Drop a FIX session's current connection (`POST /fix/gateways/{gateway}/sessions/{session}/disconnect`, permission
   * `CONTROL_FIX_SESSION`).
   *
   * Takes no body. The session may log on again. Working orders of the session stay in the market. Returns the state of the session
   * after the command, read back from the engine.
   *
   * - `gateway`, required. Name of the FIX gateway.
   * - `session`, required. Id of the FIX session.
   */
  readonly disconnectFixSession: unknown;
  /**
   * What is halted (`GET /trading/halts`, any user).
   *
   * All paths that are halted, the whole system as the empty path. With `complete: true` the engine has listed them. Otherwise they
   * are those that were halted through this gateway and that the engine shows halted now, and there may be others, halted through
   * another gateway or at the engine.
   *
   */
  readonly listHalts: unknown;
  /**
   * Who the caller is (`GET /whoami`, any user).
   *
   * The user that these credentials belong to, and what they may do now. A policy of the installation may still refuse a command.
   *
   */
  readonly whoami: unknown;
  /**
   * What the engine is and has (`GET /engine`, any user).
   *
   * Name, version and operations of the engine, and what its commands can name: projections, risk limits, keys of halts, types of FIX
   * gateways. 404 where the engine does not describe itself.
   *
   */
  readonly describeEngine: unknown;
}
