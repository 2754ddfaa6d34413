// What test harnesses import.
export { EngineGate } from "./engine-gate.ts";
export { ManualClock } from "./manual-clock.ts";
export { MemoryAudit } from "./memory-audit.ts";
export { startTestRig, type TestRig, type TestRigOptions } from "./rig.ts";
