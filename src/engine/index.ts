/**
 * The engine's end of the bus, for those who connect an engine, and the simulated engine.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { EngineReadName, EngineReads } from "../core/operations/engine-reads.ts";
export type { BusInput, BusMethod, BusOutput } from "../core/operations/table.ts";
export { type Engine, type EngineMethod, EngineRejection, type RejectionKind } from "./engine.ts";
export type { FixPortOptions } from "./fix/open-ports.ts";
export type { FixPort } from "./fix/port.ts";
export { type EngineBus, type EngineHandler, serveEngine } from "./serve.ts";
export { type Installation, InstallationError, loadInstallation, parseInstallation } from "./simulated/installation.ts";
export type { Attributes } from "./simulated/node.ts";
export type { OrderEvent, OrderRequest, Side, Submission, Trade, WorkingOrder } from "./simulated/order.ts";
export { SimulatedEngine, type SimulatedEngineOptions } from "./simulated/simulated-engine.ts";
