import { beforeAll, describe, expect, it } from "vitest";
import { REFUSAL_CODES } from "../../transports/json-rpc/contract.ts";
import { encodeReply, faultBody, replyBody } from "../../transports/json-rpc/replies.ts";
import { MessageFault } from "../../transports/json-rpc/requests.ts";
import { schemaFiles } from "./bus-contract/json-schemas.ts";
import { fileNames, readJson, removeFile, UPDATES, writeJson } from "./bus-files.ts";
import { type RecordedExchange, recordExchanges } from "./bus-recording.ts";
import { committedValidator, faultsOf, operationValidators } from "./bus-validators.ts";

const FOLDER = "docs/bus/schemas";

let exchanges: readonly RecordedExchange[] = [];

beforeAll(async () => {
  exchanges = await recordExchanges();
  if (!UPDATES) return;
  const files = schemaFiles();
  writeJson(new Map([...files].map(([name, schema]) => [`${FOLDER}/${name}`, schema])));
  for (const stale of fileNames(FOLDER).filter((name) => !files.has(name))) removeFile(`${FOLDER}/${stale}`);
});

describe("D-PKG 6: the JSON Schemas are generated from the operation table", () => {
  it("there is one file for each input, result and kind of message, and no other", () => {
    expect(fileNames(FOLDER)).toEqual([...schemaFiles().keys()].sort());
  });

  it.each([...schemaFiles()])("%s says what the table says (UPDATE_DOCS=1 rewrites it)", (name, schema) => {
    expect(readJson(`${FOLDER}/${name}`)).toEqual(JSON.parse(JSON.stringify(schema)));
  });
});

describe("D-PKG 6: the schemas describe what is on the wire", () => {
  it("every operation is recorded, and its messages are valid", () => {
    const validators = operationValidators();
    const request = committedValidator("request");
    const reply = committedValidator("reply");
    const payloads = { params: committedValidator("params"), reply: committedValidator("reply-payload") };
    const faults = exchanges.flatMap((exchange) => {
      const [asked, answered] = [JSON.parse(exchange.request), JSON.parse(exchange.reply)];
      const { input, result } = validators.get(exchange.method) ?? {};
      if (!input || !result) return [`${exchange.method} has no schema`];
      const { jsonrpc: _, id: __, ...replyPayload } = answered;
      return [
        ...faultsOf(request, asked),
        ...faultsOf(reply, answered),
        ...faultsOf(payloads.params, asked.params),
        ...faultsOf(payloads.reply, replyPayload),
        ...faultsOf(input, asked.params.input),
        ...faultsOf(result, answered.result),
      ].map((fault) => `${exchange.method}${fault}`);
    });
    expect(faults).toEqual([]);
    expect(new Set(exchanges.map(({ method }) => method)).size).toBe(validators.size);
  });

  it.each(Object.keys(REFUSAL_CODES) as (keyof typeof REFUSAL_CODES)[])(
    "the refusal %s is a valid reply",
    (refusal) => {
      const body = replyBody({ ok: false, refusal, message: "reason" });
      expect(faultsOf(committedValidator("reply"), JSON.parse(encodeReply(7, body)))).toEqual([]);
      expect(faultsOf(committedValidator("reply-payload"), body)).toEqual([]);
    },
  );

  it("the response to a message that is not JSON is a valid reply, with the id null", () => {
    const text = encodeReply(null, faultBody(new MessageFault(-32700, "The message is not JSON")));
    expect(faultsOf(committedValidator("reply"), JSON.parse(text))).toEqual([]);
  });
});
