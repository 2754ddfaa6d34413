import { visible } from "../../core/values/basics.ts";
import type { LineWriter } from "./line-writer.ts";

export type LineSink = Pick<LineWriter, "write">;

type Fields = Readonly<Record<string, unknown>>;

/** Fields shown after the message of a line of each kind, in this order. */
const OF_RECORD = ["target", "reason", "message"];
const OF_REQUEST = ["user", "durationMs"];

/** Shown at the start of a line, or of no use to a reader. */
const AT_START = new Set(["level", "time", "msg"]);

const MS_DIGITS = 3;

/** Turns lines of the monitor log into short ones for the person at the terminal (decision D-LOG 26). */
export class TerminalLines implements LineSink {
  readonly #writer: LineSink;

  constructor(writer: LineSink) {
    this.#writer = writer;
  }

  write(lines: string | Uint8Array, timeoutMs?: number): void {
    const each = Buffer.from(lines).toString("utf8").trimEnd().split("\n");
    this.#writer.write(each.map((line) => `${shortLine(JSON.parse(line))}\n`).join(""), timeoutMs);
  }
}

function shortLine(fields: Fields): string {
  const { level, time, msg } = fields;
  const clock = new Date(String(time)).toISOString().slice("2026-01-01T".length);
  const severity = level === "info" ? [] : [String(level).toUpperCase()];
  return visible([clock, ...severity, msg, ...details(fields)].join(" "));
}

function details(fields: Fields): string[] {
  const names = shownOf(fields).filter((name) => !AT_START.has(name));
  return names.flatMap((name) => {
    const value = fields[name];
    return value === null || value === undefined || value === "" ? [] : [`${name}=${textOf(value)}`];
  });
}

function shownOf(fields: Fields): readonly string[] {
  if ("stage" in fields && "id" in fields) return OF_RECORD;
  return "method" in fields ? OF_REQUEST : Object.keys(fields);
}

/** Bare where it is one word, as in logfmt. */
function textOf(value: unknown): string {
  if (typeof value === "number") return String(Number(value.toFixed(MS_DIGITS)));
  return typeof value === "string" && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}
