import { optional, setting } from "../setting.ts";
import { anyText, dataSize, path, wholeNumber } from "../values.ts";

/** The audit records, and the durable audit file (decision D-LOG 2). */
export const auditSettings = {
  "admin.gateway.name": optional(
    anyText(),
    "Name of this gateway in audit records; the name of the host unless it is set.",
  ),
  "admin.audit.file": optional(
    path(),
    "File that keeps the audit records durably, chained by hashes (`docs/reference/audit-records.md`); without it they are in the monitor log only.",
  ),
  "admin.audit.max-file-size": setting(
    dataSize("64KB", "1024MB"),
    "64MB",
    "Size at which a new audit file is begun and the full one gets its final name.",
  ),
  "admin.audit.max-files": optional(
    wholeNumber(2, 1_000_000),
    "How many audit files are kept, the current one included; older ones are deleted. All are kept unless it is set.",
  ),
};
