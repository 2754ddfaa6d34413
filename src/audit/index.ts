/**
 * The durable audit: a sink that keeps records in chained files, and the verification of those.
 *
 * Ids such as `D-HTTP 1` are decisions, in `docs/decisions.md` of the repository; "specification" is `docs/specification.md` of this package.
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
