import { randomBytes } from "node:crypto";
import { type KnownUser, nameKey, type UserDirectory } from "./names.ts";
import type { HashThreads } from "./passwords/hash-threads.ts";
import { matchesDigest, type PasswordHash } from "./passwords/password-hash.ts";
import type { StoredPassword } from "./passwords/stored-password.ts";

/** A user of the file with their password and permissions. */
export interface FileUser extends KnownUser {
  readonly password: StoredPassword;
}

/**
 * A directory over the users of `uac-file-security.xml`, by key of their names. Every check costs the same, whichever user is asked
 * for and whatever the form of their password: one hash of each kind of work that the directory holds, against decoys where the
 * user has no such hash, and one comparison of text. So time does not show who exists.
 */
export function fileDirectory(users: ReadonlyMap<string, FileUser>, threads: HashThreads): UserDirectory {
  const decoys = decoysFor(users.values());
  const decoyDigest = randomBytes(32);

  async function checkHashes(own: PasswordHash | undefined, password: string): Promise<boolean> {
    let matched = false;
    for (const decoy of decoys) {
      const hash = own?.work === decoy.work ? own : decoy;
      const matches = await hash.matches(password, threads);
      if (hash === own) matched = matches;
    }
    return matched;
  }

  return {
    async verify(name, password) {
      const user = users.get(nameKey(name));
      const stored = user?.password;
      const digest = stored?.kind === "text" ? stored.digest : decoyDigest;
      const textMatches = matchesDigest(password, digest) && digest !== decoyDigest;
      const hash = stored?.kind === "hash" ? stored.hash : undefined;
      const hashMatches = await checkHashes(hash, password);
      return textMatches || hashMatches ? user : undefined;
    },
    known(name) {
      const user = users.get(nameKey(name));
      return user?.password.kind === "locked" ? undefined : user;
    },
  };
}

function decoysFor(users: Iterable<FileUser>): readonly PasswordHash[] {
  const decoys = new Map<string, PasswordHash>();
  for (const { password } of users) {
    if (password.kind === "hash" && !decoys.has(password.hash.work)) {
      decoys.set(password.hash.work, password.hash.decoy());
    }
  }
  return [...decoys.values()];
}
