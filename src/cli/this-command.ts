import { basename } from "node:path";

const NAME = "trading-admin";

/** How to call this program from any folder: for lines to paste into a shell. */
export function thisCommand(): string {
  const script = process.argv[1] ?? NAME;
  if (script.endsWith(`node_modules/.bin/${NAME}`)) return `npx ${NAME}`;
  return basename(script) === NAME ? NAME : `node ${shellWord(script)}`;
}

/** A text as one word of a POSIX shell; bare where it can be. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
