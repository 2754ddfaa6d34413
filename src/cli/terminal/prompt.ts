import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { escapeControlCharacters } from "../../core/records/record.ts";
import { NotConfirmedByUser } from "../exit-codes.ts";
import { writeWords } from "./output.ts";

/** Whether there is a person who can be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks for one line at the terminal. Ctrl-C and the end of input are a no. */
export async function ask(question: string): Promise<string> {
  try {
    return await line(createInterface({ input: process.stdin, output: process.stderr, terminal: true }), question);
  } catch (error) {
    // What follows begins on its own line, as after Enter.
    writeWords("\n");
    throw error;
  }
}

/** Asks for one line without showing what is typed. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  // Only now: until readline has taken the terminal over, it would show what a quick hand types.
  writeWords(escapeControlCharacters(question));
  try {
    return await line(lines, "");
  } finally {
    writeWords("\n");
  }
}

function line(lines: Interface, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once("SIGINT", () => lines.close());
    lines.once("close", () => reject(new NotConfirmedByUser("not confirmed")));
    lines.question(escapeControlCharacters(question), (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
