import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { textOfFile } from "../../src/cli/process.ts";

function read(bytes: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "trading-admin-text-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "limits.csv");
  writeFileSync(file, bytes);
  return textOfFile(file, "it cannot be read");
}

describe("files that are named on the command line are UTF-8", () => {
  it.each([
    ["text", Buffer.from("Account,Büro 株\r\n"), "Account,Büro 株\r\n"],
    ["nothing", Buffer.alloc(0), ""],
    ["one byte", Buffer.from("x"), "x"],
    ["a byte order mark, as spreadsheets write it", Buffer.from("\ufeffAccount\n"), "Account\n"],
    ["a replacement character that somebody wrote", Buffer.from("a\ufffdb"), "a\ufffdb"],
  ])("%s", (_, bytes, text) => {
    expect(read(bytes)).toBe(text);
  });

  it.each([
    [
      "cp1252",
      Buffer.from("projection,Account\r\nAccount,B\xfcro\r\n", "latin1"),
      "line 2, column 10: the file is not UTF-8",
    ],
    [
      "a character that is cut at the end",
      Buffer.from("ab\u00fc").subarray(0, 3),
      "line 1, column 3: the file is not UTF-8",
    ],
    ["a surrogate", Buffer.from([0x61, 0x0a, 0xed, 0xa0, 0x80]), "line 2, column 1: the file is not UTF-8"],
    ["UTF-16, little endian", Buffer.from("\ufeffab", "utf16le"), "the file is UTF-16, as its byte order mark says"],
    [
      "UTF-16, big endian",
      Buffer.from("\ufeffab", "utf16le").swap16(),
      "the file is UTF-16, as its byte order mark says",
    ],
  ])("%s is refused with its place", (_, bytes, words) => {
    expect(() => read(bytes)).toThrow(new RegExp(`limits\\.csv: ${words}; save it as UTF-8$`));
  });
});
