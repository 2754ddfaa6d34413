import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { Gate } from "../../src/core/load/gate.ts";
import { parseReply } from "../../transports/json-rpc/parse-reply.ts";
import { ReplyScan } from "../../transports/json-rpc/reply-scan.ts";

const MEGABYTES = 14_000_000;

function parsed(text: string): unknown {
  return parseReply(new ReplyScan(Buffer.from(text)), new Gate(systemClock));
}

/** How many parts of 32 KB were looked through before the one for which a reply was refused, and with what words. */
function refusal(text: string): { words: string; parts: number } {
  const scan = new ReplyScan(Buffer.from(text));
  let parts = -1;
  for (; !scan.isDone; parts += 1) scan.next();
  try {
    scan.longList();
  } catch (error) {
    return { words: (error as Error).message, parts };
  }
  throw new Error("the reply was not refused");
}

function reply(result: string): string {
  return `{"jsonrpc":"2.0","id":1,"result":${result}}`;
}

function members(count: number): string {
  return Array.from({ length: count }, (_, index) => `"m${index}":0`).join();
}

describe("D-LINK 20: a reply that no engine of the contract sends is refused by its first parts, unparsed", () => {
  test.each([
    ["14 MB of opening brackets", "[".repeat(MEGABYTES / 2) + "]".repeat(MEGABYTES / 2), "nested more than 32 deep", 0],
    ["objects in objects", `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`, "nested more than 32 deep", 0],
    ["lists and objects 33 deep", `${'[{"a":'.repeat(17)}1${"}]".repeat(17)}`, "nested more than 32 deep", 0],
    ["one text of 15 MB", `{"reason":"${"x".repeat(15_000_000)}"}`, "text of more than 65536 bytes", 0],
    ["a text without an end", `{"reason":"${"x".repeat(15_000_000)}`, "text of more than 65536 bytes", 0],
    ["a text of escapes", `{"reason":"${"\\u0041".repeat(200_000)}"}`, "text of more than 65536 bytes", 0],
    ["a name of a megabyte", `{"${"x".repeat(1_000_000)}":1}`, "text of more than 65536 bytes", 0],
    ["500,000 members", `{${members(500_000)}}`, "besides the rows of a list more than 8000 members", 10],
    ["500,000 members beside a list", `{"rows":[1],${members(500_000)}}`, "more than 8000 members", 10],
    ["a row of 500,000 members", `[{"a":1},{${members(500_000)}}]`, "a row more than 8000 members", 10],
    ["a row that is a list of lists", `[[${"[],".repeat(500_000)}[]]]`, "a row more than 8000 members", 10],
    ["a second long list", `{"a":[${"1,".repeat(50_000)}1],"b":[${"1,".repeat(50_000)}1]}`, "8000 members", 20],
    ["blanks by the megabyte", `{"a":1${" ".repeat(MEGABYTES)}}`, "more than 262144 bytes", 10],
    ["a row of blanks", `[{"a":1${" ".repeat(MEGABYTES)}}]`, "a row more than 262144 bytes", 10],
    [
      "texts by the thousand",
      `{"a":{${Array.from({ length: 2_000 }, (_, at) => `"${at}":"${"x".repeat(1_000)}"`).join()}}}`,
      "262144",
      10,
    ],
  ])("%s", (_what, result, words, latestPart) => {
    const refused = refusal(reply(result));
    expect(refused.words).toContain(words);
    expect(refused.parts).toBeLessThanOrEqual(latestPart);
  });

  test.each([
    ["an error with a text of a megabyte", `{"id":1,"error":{"code":-32001,"message":"${"x".repeat(1_000_000)}"}}`],
    ["members beside the result", `{"id":1,"result":null,${members(500_000)}}`],
    ["a long list that is not the result", `{"id":1,"result":null,"more":[${"1,".repeat(500_000)}1]}`],
    ["a batch", `[${Array.from({ length: 50_000 }, (_, id) => `{"id":${id},"result":null}`).join()}]`],
  ])("%s", (_what, text) => {
    expect(refusal(text).words).toMatch(/^(has|is)/);
  });

  test.each([
    ["100,000 rows", Array.from({ length: 100_000 }, (_, index) => ({ name: `N${index}`, size: "1.5" }))],
    ["a risk table with 64 conditions and 64 limits in each of 2,000 rows", riskTable(2_000)],
    ["a text of 60 KB", { reason: "é".repeat(30_000) }],
    ["values 29 deep", JSON.parse("[".repeat(29) + "]".repeat(29))],
    ["brackets within texts", { reason: "[{".repeat(10_000) }],
  ])("while %s pass", (_what, result) => {
    expect(parsed(reply(JSON.stringify(result)))).toMatchObject({ id: 1 });
  });
});

function riskTable(rows: number): unknown {
  const fields = (name: string): object =>
    Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`${name}${index}`, `${index}.0000`]));
  const row = { conditions: fields("Key"), limits: fields("Limit") };
  return { projection: "Account/Symbol", rows: Array.from({ length: rows }, () => row) };
}
