import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../package/build.ts";
import { readText } from "./bus-files.ts";

const PAGES = ["docs/operate/runbook.md", "docs/operate/troubleshooting.md", "docs/operate/start.md", "README.md"];

/** What a message has from case to case: quoted names, paths and addresses, numbers, times, operations. */
const VARIABLE =
  /\\?"[^"]*"|\S*\/\S*|\S*\d\S*|\S*\[\S*|\b[a-z]+[A-Z]\w*|\b(?:HALT_RESUME_TRADING|ECONNREFUSED|ENOSPC)\b/;

const SOURCES = ["src", "transports"]
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(ROOT, name), "utf8"))
  .join("\n");

/** Texts of error bodies and of lines of the log that a page shows. */
function messagesIn(page: string): string[] {
  const lines = [...readText(page).matchAll(/"(?:message|msg)":"((?:[^"\\]|\\.)*)"/g)];
  return [...new Set(lines.map(([, message = ""]) => message))];
}

/** The longest part of a message that is the same in every case. */
function constantPart(message: string): string {
  const parts = message.split(VARIABLE).map((part) => part.replace(/^\W+|\W+$/g, ""));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

describe("messages that the pages for operators show", () => {
  it.each(PAGES)("%s shows what the code says", (page) => {
    const unknown = messagesIn(page).filter((message) => !SOURCES.includes(constantPart(message)));
    expect(unknown).toEqual([]);
  });

  it("a message that nothing says is found", () => {
    expect(messagesIn("docs/operate/runbook.md").length).toBeGreaterThan(8);
    const invented = 'The engine "X" at wss://engine:1 has had enough';
    expect(constantPart(invented)).toBe("has had enough");
    expect(SOURCES.includes(constantPart(invented))).toBe(false);
  });
});
