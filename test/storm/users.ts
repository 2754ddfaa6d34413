import { hashPassword } from "../../src/auth/passwords/scrypt.ts";
import type { Permission } from "../../src/core/principal.ts";
import type { Workplace } from "../cli/workplace.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** Users without any permission, who flood. */
export const DESKS = ["desk-1", "desk-2", "desk-3", "desk-4", "desk-5"] as const;

/** Whoever may do more than read: the operator, another one, and one who changes limits and positions. */
export const PERMITTED: Readonly<Record<string, readonly Permission[]>> = {
  chief: ["HALT_RESUME_TRADING", "POSITION_ADJUSTMENT"],
  deputy: ["HALT_RESUME_TRADING"],
  risk: ["CHANGE_RISK_LIMITS", "POSITION_ADJUSTMENT"],
};

export const USERS: readonly string[] = [...Object.keys(PERMITTED), "reader", ...DESKS];

/** Writes the access files. The operator's password is stored as a hash, so that a login without memory costs its time. */
export async function writeUsers(workplace: Workplace): Promise<void> {
  const stored = { chief: await hashPassword(passwordOf("chief")) } as Record<string, string>;
  const users = USERS.map(
    (name) => `<user id="${name}"><password>${stored[name] ?? passwordOf(name)}</password></user>`,
  );
  const rules = Object.entries(PERMITTED).map(([name, permissions]) => {
    const granted = permissions.map((permission) => `<permission>${permission}</permission>`);
    return `<allow><principal>${name}</principal>${granted.join("")}</allow>`;
  });
  workplace.write("uac-file-security.xml", `<config xmlns="${NAMESPACE}"><users>${users.join("")}</users></config>`);
  workplace.write("uac-access-rules.xml", `<rules xmlns="${NAMESPACE}">${rules.join("")}</rules>`);
}

function passwordOf(user: string): string {
  return `password of ${user}`;
}

/** The `Authorization` header of a user, or one with another password. */
export function credentials(user: string, password: string = passwordOf(user)): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** Whose credentials these are, and whether the password is that of the user. */
export function userOf(authorization: string): { readonly name: string; readonly isRight: boolean } {
  const [name = ""] = Buffer.from(authorization.replace("Basic ", ""), "base64").toString().split(":");
  return { name, isRight: authorization === credentials(name) };
}
