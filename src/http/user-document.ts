import { type OperationName, operationNames, operationRecord, operations } from "../core/operations/table.ts";
import type { Permission, Principal } from "../core/principal.ts";
import type { HttpDocument } from "./documents.ts";

/** The user of a page, so that it can mark operations without permission in advance. */
export interface PageUser {
  readonly name: string;
  /** Operations that the user may not call, with the missing permission. */
  readonly denied: Readonly<Partial<Record<OperationName, Permission>>>;
}

/** Makes the document that tells a page its user. Permissions are those of access rules or token; a policy of the host may still refuse. */
export function userDocument(path: string): HttpDocument {
  return { path, contentType: "application/json", content: (user) => JSON.stringify(pageUser(user)) };
}

function pageUser({ name, permissions }: Principal): PageUser {
  const missing = operationNames.flatMap((operation): [OperationName, Permission][] => {
    const { permission } = operationRecord(operations, operation);
    return permission === null || permissions.has(permission) ? [] : [[operation, permission]];
  });
  return { name, denied: Object.fromEntries(missing) };
}
