/**
 * The durable audit: a sink that keeps records in chained files, and the verification of those.
 *
 * "Specification" is `docs/specification.md` of this package.
 *
 * @module
 */
export { type AuditFile, type AuditFileOptions, openAuditFile } from "./audit-file.ts";
export type { ChainPosition } from "./chain.ts";
export { AuditFileError } from "./disk.ts";
export {
  type AuditFinding,
  type AuditVerification,
  type OpenIntent,
  verifyAuditFiles,
} from "./verification.ts";
