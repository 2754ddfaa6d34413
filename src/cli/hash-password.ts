import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { hashPassword } from "../auth/passwords/scrypt.ts";
import type { Run } from "./command/definition.ts";

/** `hash-password`: reads a password from a prompt or from standard input, and prints its hash for `uac-file-security.xml`. */
export const run: Run = async () => {
  process.stdout.write(`${await hashPassword(await readPassword())}\n`);
};

/** Reads one line without showing it. A password is never an argument: other users could see it in the process list. */
async function readPassword(): Promise<string> {
  const terminal = process.stdin.isTTY === true;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal });
  // Only now: until readline has taken the terminal over, it would show what a quick hand types.
  if (terminal) process.stderr.write("Password: ");
  try {
    for await (const password of lines) return password;
    return "";
  } finally {
    lines.close();
    if (terminal) process.stderr.write("\n");
  }
}
