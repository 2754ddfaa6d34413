import { escapeControlCharacters } from "../../core/records/record.ts";

/** Writes a line for the person at the terminal; standard output is for data. What others sent must not steer a terminal. */
export function say(text: string): void {
  process.stderr.write(`${escapeControlCharacters(text.split("\n")).join("\n")}\n`);
}

/** A line that begins with the name of the command, as an error does. */
export function complain(text: string): void {
  say(`trading-admin: ${text}`);
}

/** Something that the person has to know, although it went on. */
export function warn(text: string): void {
  complain(`warning: ${text}`);
}
