import { describe, expect, it } from "vitest";
import { DEFAULT_MAX_BODY_BYTES } from "../../src/core/load/held-bytes.ts";
import { CONTRACT_NAME, CONTRACT_VERSION, ENGINE_STATUS } from "../../transports/json-rpc/contract.ts";
import {
  DEFAULT_MAX_REPLY_BYTES,
  DEFAULT_MAX_REQUEST_BYTES,
  DEFAULT_PING_INTERVAL_MS,
} from "../../transports/websocket/options.ts";
import { fileNames, readText, UPDATES, writeText } from "./bus-files.ts";
import { withGeneratedParts } from "./bus-reference.ts";
import { committedValidator, faultsOf } from "./bus-validators.ts";

const FILE = "docs/engine/bus.md";

/** The document on one line. */
function words(): string {
  return readText(FILE).replace(/\s+/g, " ");
}

/** The JSON messages of the document's code blocks, with the arrows that show their direction taken off. */
function messagesShown(): unknown[] {
  return [...readText(FILE).matchAll(/^(?:->|<-) (.*)$/gm)].map(([, text]) => JSON.parse(text ?? ""));
}

describe("docs/engine/bus.md describes what the code does", () => {
  it("operations, error codes and projection keys are those of the tables (UPDATE_DOCS=1 rewrites them)", () => {
    if (UPDATES) writeText(FILE, withGeneratedParts(readText(FILE)));
    expect(readText(FILE)).toBe(withGeneratedParts(readText(FILE)));
  });

  it("the version is the current one, and its first number is the one on the wire", () => {
    expect(words()).toContain(`Version ${CONTRACT_VERSION}, named \`${CONTRACT_NAME}\` on the wire`);
    expect(CONTRACT_NAME.endsWith(`.v${CONTRACT_VERSION.split(".")[0]}`)).toBe(true);
  });

  it("sizes and times are the defaults", () => {
    const text = words();
    expect(text).toContain(
      `limit for a body (${DEFAULT_MAX_BODY_BYTES / 1024} KiB by default) plus an envelope of 64 KiB`,
    );
    expect(text).toContain("read up to 1 MiB plus that envelope");
    expect(DEFAULT_MAX_REQUEST_BYTES).toBe((1024 + 64) * 1024);
    expect(text).toContain(`reads replies up to ${DEFAULT_MAX_REPLY_BYTES / 1024 ** 2} MiB`);
    expect(text).toContain(`pings every ${DEFAULT_PING_INTERVAL_MS / 1000} seconds`);
  });

  it("the messages that it shows are valid by the published schemas", () => {
    const shown = messagesShown();
    const kinds = shown.map((message) => {
      const { method, id } = message as { method?: string; id?: number };
      if (method === undefined) return "reply";
      return id === undefined ? ENGINE_STATUS : "request";
    });
    expect(kinds).toEqual(["request", "reply", "reply", ENGINE_STATUS]);
    for (const [index, kind] of kinds.entries()) {
      expect(faultsOf(committedValidator(kind), shown[index])).toEqual([]);
    }
  });

  it("every schema file that it names exists", () => {
    const named = [...readText(FILE).matchAll(/`((?:[a-z]+[.-]?)+\.json)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(fileNames("docs/bus/schemas")).toEqual(expect.arrayContaining(named));
  });
});
