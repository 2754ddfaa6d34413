import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSimpleAuthentication, type SimpleAuthentication } from "../../src/auth/simple.ts";
import { PERMISSIONS, type Permission } from "../../src/core/principal.ts";

/** Users of the suites: one with every permission, one with none, one for each permission. */
export const USERS: Readonly<Record<string, readonly Permission[]>> = {
  chief: PERMISSIONS,
  viewer: [],
  ...Object.fromEntries(PERMISSIONS.map((permission) => [only(permission), [permission]])),
};

/** Name of the user who has one permission and no other. */
export function only(permission: Permission): string {
  return `only-${permission.toLowerCase()}`;
}

/** Value of the `Authorization` header of a user of the suites. */
export function credentials(user: string): string {
  return `Basic ${Buffer.from(`${user}:password of ${user}`).toString("base64")}`;
}

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** Access rules for the users of the suites. */
export function suiteRules(): string[] {
  return Object.entries(USERS).flatMap(([user, permissions]) =>
    permissions.map(
      (permission) => `<allow><principal>${user}</principal><permission>${permission}</permission></allow>`,
    ),
  );
}

/** Real access files in its own folder, and the authentication over them. */
export async function openSuiteAuthentication(): Promise<SimpleAuthentication & { directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), "trading-admin-"));
  const users = Object.keys(USERS).map((user) => `<user id="${user}"><password>password of ${user}</password></user>`);
  await writeFile(
    join(directory, "uac-file-security.xml"),
    `<config xmlns="${NAMESPACE}"><users>${users.join("")}</users></config>`,
  );
  await writeFile(
    join(directory, "uac-access-rules.xml"),
    `<rules xmlns="${NAMESPACE}">${suiteRules().join("")}</rules>`,
  );
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  // Many wrong logins are the point of some tests.
  const authentication = await openSimpleAuthentication({ directory, environment: {}, log, maxLoginDelayMs: 0 });
  return {
    ...authentication,
    directory,
    close: () => {
      authentication.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
