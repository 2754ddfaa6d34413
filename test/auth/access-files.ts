import { type AccessRuleFile, readAccessRules } from "../../src/auth/access-rule-file.ts";
import { type AccessRule, type GrantedPermissions, grantPermissions } from "../../src/auth/access-rules.ts";
import type { Principals } from "../../src/auth/names.ts";
import { readUserFile, type UserFile } from "../../src/auth/user-file.ts";
import { LoopTurns } from "../../src/core/load/turns.ts";

export const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** A document with this root and namespace on one line. */
export function document(root: "config" | "rules", content: string): string {
  return `<${root} xmlns="${NAMESPACE}">${content}</${root}>`;
}

/** A user file with these users, one `[id, text of the password]` each. */
export function userDocument(...users: readonly (readonly [id: string, password: string])[]): string {
  const elements = users.map(([id, password]) => `<user id="${id}"><password>${password}</password></user>`);
  return document("config", `<users>${elements.join("")}</users>`);
}

/** A rules file. */
export function ruleDocument(...rules: readonly string[]): string {
  return document("rules", rules.join(""));
}

export function allow(principal: string, permission: string, resource = ""): string {
  return `<allow><principal>${principal}</principal><permission>${permission}</permission>${resource}</allow>`;
}

export function deny(principal: string, permission: string, resource = ""): string {
  return `<deny><principal>${principal}</principal><permission>${permission}</permission>${resource}</deny>`;
}

/** Reads a user file called `users.xml`. */
export function readUsers(source: string, environment: Record<string, string> = {}): Promise<UserFile> {
  return readUserFile("users.xml", source, environment, new LoopTurns());
}

/** Reads a rules file called `rules.xml`. */
export function readRules(source: string): Promise<AccessRuleFile> {
  return readAccessRules("rules.xml", source, new LoopTurns());
}

/** What the rules grant. */
export function permissionsOf(rules: readonly AccessRule[], principals: Principals): Promise<GrantedPermissions> {
  return grantPermissions(rules, principals, new LoopTurns());
}

/** The message with which `action` fails. */
export async function messageOf(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** An `Authorization: Basic` header. */
export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`, "utf8").toString("base64")}`;
}
