import { describe, expect, test } from "vitest";
import { type FileUser, fileDirectory } from "../../src/auth/file-directory.ts";
import { HashThreads } from "../../src/auth/passwords/hash-threads.ts";
import type { PasswordHash } from "../../src/auth/passwords/password-hash.ts";
import { readPassword, type StoredPassword } from "../../src/auth/passwords/stored-password.ts";

/** A hash that accepts `right` and writes each computation, its decoy's too, to `done`. */
function recordedHash(work: string, right: string | undefined, done: string[]): PasswordHash {
  return {
    work,
    async matches(password) {
      done.push(work);
      return password === right;
    },
    decoy: () => recordedHash(work, undefined, done),
  };
}

function directoryOf(passwords: Record<string, StoredPassword>) {
  const users = Object.entries(passwords).map(([name, password]): [string, FileUser] => [
    name,
    { name, password, permissions: new Set() },
  ]);
  return fileDirectory(new Map(users), new HashThreads());
}

describe("D-UAC 12: an unknown user costs the same as a wrong password", () => {
  const done: string[] = [];
  const directory = directoryOf({
    plain: readPassword("plain-pw").password,
    mangled: readPassword("EVcaa4173c96ca24ac").password,
    locked: { kind: "locked" },
    scrypt: { kind: "hash", hash: recordedHash("scrypt", "scrypt-pw", done) },
    second: { kind: "hash", hash: recordedHash("scrypt", "second-pw", done) },
    bcrypt: { kind: "hash", hash: recordedHash("bcrypt", "bcrypt-pw", done) },
  });

  async function workOf(name: string, password: string): Promise<{ user: string | undefined; work: string[] }> {
    done.length = 0;
    const user = await directory.verify(name, password);
    return { user: user?.name, work: [...done] };
  }

  const work = ["scrypt", "bcrypt"];
  test.each(["mallory", "plain", "mangled", "locked", "scrypt", "second", "bcrypt", ""])(
    "when %j sends a wrong password: one hash of each kind in the directory",
    async (name) => {
      expect(await workOf(name, "wrong")).toEqual({ user: undefined, work });
    },
  );

  test.each([
    ["plain", "plain-pw"],
    ["mangled", "secret"],
    ["scrypt", "scrypt-pw"],
    ["SECOND", "second-pw"],
    ["bcrypt", "bcrypt-pw"],
  ])("when %s sends the right password", async (name, password) => {
    expect(await workOf(name, password)).toEqual({ user: name.toLowerCase(), work });
  });

  test.each([
    ["scrypt", "second-pw"],
    ["scrypt", "bcrypt-pw"],
    ["bcrypt", "scrypt-pw"],
    ["plain", "scrypt-pw"],
    ["locked", "scrypt-pw"],
    ["mallory", "plain-pw"],
    ["mallory", "scrypt-pw"],
  ])("and nobody logs in with the password of another user: %s", async (name, password) => {
    expect((await workOf(name, password)).user).toBeUndefined();
  });
});

describe("hashing", () => {
  test("works with real hashes of both kinds", async () => {
    const directory = directoryOf({
      s: readPassword("$scrypt$ln=4,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA").password,
      b: readPassword("$2y$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i").password,
    });
    expect(await directory.verify("b", "abc")).toMatchObject({ name: "b" });
    expect(await directory.verify("s", "abc")).toBeUndefined();
    expect(await directory.verify("x", "abc")).toBeUndefined();
  });
});
