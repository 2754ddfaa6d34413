import { randomBytes } from "node:crypto";
import { hashPassword } from "../auth/passwords/scrypt.ts";
import type { Permission } from "../core/principal.ts";

const NAMESPACE = "http://xml.deltixlab.com/internal/quantserver/3.0";

/** The text of access files for users with new passwords. */
export interface NewAccessFiles {
  /** For `uac-file-security.xml`; it holds hashes of the passwords. */
  readonly userFile: string;
  /** For `uac-access-rules.xml`. */
  readonly ruleFile: string;
  /** Random passwords by user. */
  readonly passwords: ReadonlyMap<string, string>;
}

/** Makes access files for users and what they may do. Names are those of XML attributes and go in as they are. */
export async function newAccessFiles(users: Readonly<Record<string, readonly Permission[]>>): Promise<NewAccessFiles> {
  const passwords = new Map(Object.keys(users).map((user) => [user, randomBytes(15).toString("base64url")]));
  const elements: string[] = [];
  for (const [user, password] of passwords) {
    elements.push(`    <user id="${user}"><password>${await hashPassword(password)}</password></user>`);
  }
  return { userFile: userFile(elements), ruleFile: ruleFile(users), passwords };
}

function userFile(users: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<config xmlns="${NAMESPACE}">
  <users>
${users.join("\n")}
  </users>
</config>
`;
}

function ruleFile(users: Readonly<Record<string, readonly Permission[]>>): string {
  const rules = Object.entries(users)
    .filter(([, permissions]) => permissions.length > 0)
    .map(([user, permissions]) => {
      const granted = permissions.map((permission) => `    <permission>${permission}</permission>`);
      return `  <allow>\n    <principal>${user}</principal>\n${granted.join("\n")}\n  </allow>`;
    });
  return `<?xml version="1.0" encoding="UTF-8"?>
<rules xmlns="${NAMESPACE}">
${rules.join("\n")}
</rules>
`;
}
