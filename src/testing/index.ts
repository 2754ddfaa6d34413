/**
 * A whole installation in memory for test harnesses, and conformance kits for those who write transports and engines.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export type { AuditFixture } from "./conformance/audit-cases.ts";
export {
  DEMO_LANDMARKS,
  type EngineConformanceOptions,
  type EngineFixture,
  type EngineLandmarks,
  type SessionLandmark,
} from "./conformance/engine-fixture.ts";
export { auditConformance, type ConformanceCase, engineConformance, transportConformance } from "./conformance/kits.ts";
export type { TransportConformanceOptions, TransportFixture } from "./conformance/transport-bench.ts";
export { EngineGate } from "./engine-gate.ts";
export { type Fault, type FaultFilter, type FaultKind, FaultScript, type TypedRequest } from "./faults.ts";
export type { InjectedRequest, InjectedResponse } from "./inject.ts";
export { ManualClock, type Truthy, type UntilOptions } from "./manual-clock.ts";
export { MemoryAudit, type RigTransport, startTestRig, type TestRig, type TestRigOptions } from "./rig.ts";
export type { RigUser } from "./rig-users.ts";
export type { EngineMaker } from "./simulation/engine-end.ts";
export type { Targets } from "./simulation/plan.ts";
export {
  type SimulationFailure,
  type SimulationOptions,
  type SimulationReport,
  simulate,
} from "./simulation/simulate.ts";
