import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { BASE_PATH } from "../../src/core/conventions.ts";
import { adminMiddleware } from "../../src/http/express.ts";
import { EVERYTHING } from "../support/extent.ts";
import { HTTP_MOUNTS, type HttpMount } from "../support/mounts.ts";
import { httpWorld } from "../support/world.ts";
import { JSON_CASES } from "./json-test-suite.ts";
import { expectError, JSON_TYPE, post, rule } from "./rule.ts";

describe("D-HTTP 5: bodies", () => {
  const halt = "/trading/halt";
  const refused: readonly (readonly [string, string | Buffer, string])[] = [
    ["broken JSON", '{"reason":', "The request body is not valid JSON"],
    ["trailing bytes", "{} {}", "The request body is not valid JSON"],
    ["a byte order mark", "\ufeff{}", "The request body is not valid JSON"],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "The request body is not valid UTF-8"],
    ["a duplicate key", '{"reason":"a","reason":"b"}', 'The request body holds the key "reason" twice in one object'],
    [
      "a duplicate key in disguise",
      '{"reason":"a","\\u0072eason":"b"}',
      'The request body holds the key "reason" twice in one object',
    ],
    [
      "a duplicate key deep inside",
      '{"a":[{"b":{"c":1,"c":2}}]}',
      'The request body holds the key "c" twice in one object',
    ],
    ["__proto__", '{"__proto__":{"reason":"a"}}', 'The request body holds the key "__proto__"'],
    ["deep nesting", `${"[".repeat(33)}${"]".repeat(33)}`, "The request body is nested deeper than 32 levels"],
    ["an array", "[]", "The request body must be a JSON object"],
    ["a text", '"halt"', "The request body must be a JSON object"],
    ["no-break spaces", "\u00a0", "The request body is not valid JSON"],
  ];
  for (const [what, body, message] of refused) {
    rule(`${what} is 400`, async ({ http, gate }) => {
      expectError(await http(post(halt, body)), 400, "Bad Request", message);
      expect(gate.seen).toEqual([]);
    });
  }

  it("behind a body parser without keepRawBody all is checked but duplicate keys", async () => {
    const listener: HttpMount["listener"] = (api, options) => {
      const app = express();
      app.use(express.json());
      return { listener: app.use(...adminMiddleware(api, options)), path: BASE_PATH };
    };
    const { http, gate, close } = await httpWorld({ name: "Express 5 after express.json() alone", listener });
    onTestFinished(close);
    for (const [what, body, message] of refused) {
      if (["__proto__", "deep nesting", "an array"].includes(what)) {
        expectError(await http(post(halt, body)), 400, "Bad Request", message);
      }
    }
    expect(gate.seen).toEqual([]);
    for (const body of ['{"reason":null}', '{"reason":"a","reason":"b"}']) {
      expect(await http(post(halt, body))).toMatchObject({ status: 200 });
    }
    expect(gate.seen.map(({ input }) => input)).toMatchObject([{}, { reason: "b" }]);
  });

  rule("keys that look alike in other objects or in texts are fine", async ({ http }) => {
    const body =
      '{"projection":"Account","commands":[{"type":"DELETE","conditions":{"Account":"\\"a\\":{"}},{"type":"DELETE","conditions":{"Account":"b"}}]}';
    expectError(await http(post("/risk/update", body)), 400, "Bad Request", expect.stringContaining("commands[0]"));
  });

  it.each(HTTP_MOUNTS.filter(({ name }) => !name.includes("express.json")))(
    "a text of 16 MB is 400 where so much is allowed, and does not exhaust the stack [$name]",
    async (mount) => {
      const { http, gate, close } = await httpWorld(mount, { maxBodyBytes: 32 * 1024 * 1024 });
      onTestFinished(close);
      for (const text of ["x".repeat(16_000_000), 'x"\\'.repeat(4_000_000)]) {
        const reply = await http(post(halt, JSON.stringify({ reason: text })));
        expectError(reply, 400, "Bad Request", "reason: must be at most 1,024 characters long");
      }
      expect(gate.seen).toEqual([]);
    },
  );

  const sample = JSON_CASES.filter(({ bytes }, index) => EVERYTHING || index % 8 === 0 || bytes.byteLength > 10_000);
  rule(
    "files of JSONTestSuite as a field are 400 where they are not JSON, and never a failure of the server",
    async ({ http, gate }) => {
      for (const { name, bytes } of sample) {
        const body = Buffer.concat([Buffer.from('{"reason":'), bytes, Buffer.from("}")]);
        const seen = gate.seen.length;
        const { status } = await http(post(halt, body));
        expect([name, status]).toEqual([name, name.startsWith("n_") ? 400 : expect.toBeOneOf([200, 400])]);
        expect([name, gate.seen.length - seen]).toEqual([name, status === 200 ? 1 : 0]);
      }
    },
    // One has 250 KB.
    { maxBodyBytes: 1024 * 1024 },
  );

  it("D-HTTP 15: a limit above what one caller may hold is refused", async () => {
    const [mount] = HTTP_MOUNTS;
    const opened = mount && httpWorld(mount, { maxBodyBytes: 32 * 1024 * 1024 + 1 });
    await expect(opened).rejects.toThrow("cannot use this `maxBodyBytes`; it takes a whole number from 1 to 33554432");
  });

  rule("other media types are 415", async ({ http }) => {
    for (const type of [
      "text/plain",
      "application/json; charset=latin1",
      "application/json-patch+json",
      "application/x-www-form-urlencoded",
    ]) {
      const reply = await http(post(halt, '{"reason":"x"}', { "Content-Type": type }));
      expect([type, reply.status, JSON.parse(reply.body).error]).toEqual([type, 415, "Unsupported Media Type"]);
    }
    expect((await http(post(halt, '{"reason":"x"}', {}))).status).toBe(415);
    expect((await http(post(halt, "{}", { ...JSON_TYPE, "Content-Encoding": "compress" }))).status).toBe(415);
  });

  rule("a charset of UTF-8 is fine, and so is the coding identity", async ({ http }) => {
    for (const type of ["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"']) {
      expect((await http(post(halt, "{}", { "Content-Type": type }))).status).toBe(200);
    }
    expect((await http(post(halt, "{}", { ...JSON_TYPE, "Content-Encoding": "Identity" }))).status).toBe(200);
  });

  rule("D-HTTP 16: no body, an empty body, null and {} are the same", async ({ http, audit }) => {
    const path = "/services/SIM/disable";
    const bodies = ["", "{}", "null", " null\n"].map((body) => post(path, body));
    for (const request of [{ method: "POST", path }, ...bodies, post(path, "", {})]) {
      expect([request, (await http(request)).status]).toEqual([request, 200]);
    }
    const chunked = { ...JSON_TYPE, "Transfer-Encoding": "chunked" };
    for (const headers of [chunked, { "Transfer-Encoding": "chunked" }]) {
      expect((await http(post(path, "", headers))).status).toBe(200);
    }
    expect(new Set(audit.records.map(({ reason }) => reason))).toEqual(new Set(["Service disabled"]));
  });

  rule("D-HTTP 16: blanks are the same, unless a parser of the host refuses them", async ({ http, gate }, mount) => {
    const isParsed = mount.includes("after express.json()");
    for (const blanks of [" ", "\r\n\t "]) {
      const { status } = await http(post("/services/SIM/disable", blanks));
      expect([blanks, status]).toEqual([blanks, isParsed ? 400 : 200]);
    }
    expect(gate.seen).toHaveLength(isParsed ? 0 : 2);
  });

  rule("null in place of the arguments halts everything, as generated clients send it", async ({ http, audit }) => {
    expect((await http(post(halt, "null"))).status).toBe(200);
    expect(audit.records.at(-1)).toMatchObject({
      stage: "applied",
      operation: "haltTrading",
      reason: "Trading halted",
    });
  });

  rule("D-HTTP 16: null where fields are required: they are reported as missing", async ({ http, gate }) => {
    const message = "projectionPath: is required; size: is required";
    expectError(await http(post("/positions/adjust", "null")), 400, "Bad Request", message);
    expect(gate.seen).toEqual([]);
  });

  rule("D-HTTP 15, D-LOAD 30: 128 KiB is the limit, declared or not", async ({ http }) => {
    const body = (size: number): string => `{"reason":"x"${" ".repeat(size - 14)}}`;
    expect((await http(post(halt, body(128 * 1024)))).status).toBe(200);
    const message = "The request body is larger than 131072 bytes";
    expectError(await http(post(halt, body(128 * 1024 + 1))), 413, "Payload Too Large", message);
    const chunked = { ...JSON_TYPE, "Transfer-Encoding": "chunked" };
    expectError(await http(post(halt, body(128 * 1024 + 1), chunked)), 413, "Payload Too Large", message);
  });

  rule(
    "D-HTTP 15: the limit is a setting",
    async ({ http }) => {
      expect((await http(post(halt, `{"reason":"${"x".repeat(100)}"}`))).status).toBe(413);
    },
    { maxBodyBytes: 100 },
  );
});
