import type { Output } from "../operations/table.ts";
import { type Principal, permissionsNow } from "../principal.ts";

/** What a caller is told of their own credentials. */
export function identityOf(principal: Principal): Output<"whoami"> {
  const { name, authentication, tokenExpires = null } = principal;
  return { name, authentication, permissions: [...permissionsNow(principal)].toSorted(), expires: tokenExpires };
}
