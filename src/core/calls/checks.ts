import { AdminError } from "../errors.ts";
import type { CallName } from "../operations/table.ts";
import { lackWords, stillHas } from "../principal.ts";
import type { UnknownFields } from "../validation/input-size.ts";
import { prepareInput, ValidInput } from "../validation/validation.ts";
import type { Call } from "./call.ts";

/** Throws `PERMISSION_DENIED` for a call that its principal may not make. */
export function checkPermission({ operation: { permission }, principal }: Call<CallName>): void {
  if (permission === null || principal.permissions.has(permission)) return;
  throw new AdminError("PERMISSION_DENIED", lackWords(principal.name, permission));
}

/** Throws `PERMISSION_DENIED` where the permission was taken away while the rest of the request arrived (decision D-UAC 17). */
export function recheckPermission({ operation: { permission }, principal }: Call): void {
  if (permission === null || stillHas(principal, permission)) return;
  const lost = `User "${principal.name}" was removed or lost the permission ${permission} while the request arrived; nothing was sent`;
  throw new AdminError("PERMISSION_DENIED", lost);
}

/** Throws `BAD_REQUEST` for a change that is sent on a condition which nothing here can check: it must not be sent regardless of that (D-HTTP 39). */
export function checkCondition({ name, operation: { lane, ifMatch }, context }: Call): void {
  if (context.ifMatch === undefined || lane !== "change" || ifMatch !== undefined) return;
  throw new AdminError("BAD_REQUEST", `If-Match: ${name} cannot be conditional; nothing was sent`);
}

/** Checks the input of a call, unless it is a {@link ValidInput} of the same operation; throws `BAD_REQUEST`. */
export function checkedInput(
  { name, operation }: Call<CallName>,
  raw: unknown,
  unknownFields: UnknownFields,
): ValidInput {
  if (raw instanceof ValidInput && raw.operation === name) return raw;
  return prepareInput(name, operation, raw, unknownFields);
}
