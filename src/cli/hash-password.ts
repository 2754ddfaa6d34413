import { text } from "node:stream/consumers";
import { hashPassword } from "../auth/passwords/scrypt.ts";
import type { Run } from "./framework/definition.ts";
import { write } from "./terminal/output.ts";
import { askSecret } from "./terminal/prompt.ts";

/**
 * `hash-password`: reads a password from a prompt, or the first line of standard input, and prints its hash for
 * `uac-file-security.xml`. A password is never an argument: other users could see it in the process list.
 */
export const run: Run = async () => {
  const typed = process.stdin.isTTY ? await askSecret("Password: ") : await text(process.stdin);
  const [password = ""] = typed.split(/\r?\n/, 1);
  write(`${await hashPassword(password)}\n`);
};
