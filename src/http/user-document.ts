import { type OperationName, operationNames, operationRecord, operations } from "../core/operations/table.ts";
import type { Permission, Principal } from "../core/principal.ts";
import type { HttpDocument } from "./documents.ts";

/** What a page learns about the user who has opened it, so that it can say what they may not do before they try. */
export interface PageUser {
  readonly name: string;
  /** Operations that the user may not call, with the permission that is missing. */
  readonly denied: Readonly<Partial<Record<OperationName, Permission>>>;
}

/**
 * Makes the document that says to a page who its user is. Permissions are what access rules or a token give; a policy of the
 * host may still refuse a command.
 */
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
