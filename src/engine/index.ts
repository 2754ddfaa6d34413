// The engine's side of the bus, and the simulated engine.
export { type Engine, EngineRejection, type RejectionKind } from "./engine.ts";
export { type EngineBus, type EngineHandler, serveEngine } from "./serve.ts";
export { type Installation, InstallationError, loadInstallation, parseInstallation } from "./simulated/installation.ts";
export type { OrderEvent, OrderRequest, Submission, Trade, WorkingOrder } from "./simulated/order.ts";
export { SimulatedEngine, type SimulatedEngineOptions } from "./simulated/simulated-engine.ts";
