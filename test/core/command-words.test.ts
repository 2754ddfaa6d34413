import { describe, expect, it } from "vitest";
import { UNDO } from "../../src/console/page/commands.ts";
import { COMMAND_WORDS, commandWords } from "../../src/core/operations/command-words.ts";
import { operationNames, operationRecord, operations } from "../../src/core/operations/table.ts";

describe("the words of commands", () => {
  it("D-DOC 10: are there for every stop and change, and for nothing else", () => {
    const commands = operationNames.filter((name) => operations[name].lane !== "read");
    expect(Object.keys(COMMAND_WORDS).toSorted()).toEqual(commands.toSorted());
  });

  it.each([{}, { projectionPath: "" }, { projectionPath: null }])(
    "call %j everything, in a line and on a button",
    (input) => {
      const { sentence, heading } = COMMAND_WORDS.haltTrading;
      expect([sentence(input), heading(input)]).toEqual(["halt trading system-wide", "Halt all trading"]);
    },
  );

  it("show what is not text as JSON, as the API refuses it and nobody may take it for a path", () => {
    const { sentence, heading } = COMMAND_WORDS.resumeTrading;
    const input = { projectionPath: ["Account[A]"] };
    expect([sentence(input), heading(input)]).toEqual(['resume trading at ["Account[A]"]', 'Resume ["Account[A]"]']);
  });

  it("of the console name what takes a stop back as the operation table does", () => {
    const undone = operationNames.flatMap((name) => {
      const { undoes } = operationRecord(operations, name);
      return undoes === undefined ? [] : [[undoes, name]];
    });
    expect(UNDO).toEqual(Object.fromEntries(undone));
  });

  it.each(["getTradingStatus", "constructor", "toString", ""])("are none for %j", (operation) => {
    expect(commandWords(operation)).toBeUndefined();
  });

  it("have words to type before each command that starts something, others where it starts everything, and none before a stop", () => {
    const input = { projectionPath: "Account[GOLD]" };
    const typed = Object.entries(COMMAND_WORDS).flatMap(([name, { typed }]) => (typed ? [[name, typed(input)]] : []));
    expect(COMMAND_WORDS.resumeTrading.typed?.({})).toBe("RESUME ALL");
    expect(Object.fromEntries(typed)).toEqual({
      resumeTrading: "RESUME",
      enableService: "ENABLE",
      enableFixSession: "ENABLE",
    });
  });
});
