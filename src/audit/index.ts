// The durable audit: a sink that keeps records in chained files, and the verification of those.
export { type AuditFile, type AuditFileOptions, openAuditFile } from "./audit-file.ts";
export { AuditFileError } from "./audit-file-error.ts";
export type { ChainPosition } from "./chain.ts";
export {
  type AuditFinding,
  type AuditVerification,
  type OpenIntent,
  verifyAuditFiles,
} from "./verification.ts";
