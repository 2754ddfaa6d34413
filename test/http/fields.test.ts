import { describe, expect } from "vitest";
import { expectError, post, rule } from "./rule.ts";

describe("D-HTTP 6, D-HTTP 7: fields of a request", () => {
  rule("an unknown body field is 400 and named", async ({ http, gate }) => {
    const reply = await http(post("/trading/halt", '{"cancelOrder":true,"x":null}'));
    expectError(reply, 400, "Bad Request", "cancelOrder: unknown field; x: unknown field");
    expect(gate.seen).toEqual([]);
  });

  rule("a field of the path is not a field of the body", async ({ http }) => {
    const reply = await http(post("/services/SIM/disable", '{"name":"TWAP"}'));
    expectError(reply, 400, "Bad Request", "name: unknown field");
  });

  rule("unknown and repeated query parameters are 400 and named", async ({ http }) => {
    const reply = await http({ path: "/trading/status?projectionPath=&x=1&projectionPath=" });
    const message = "x: unknown field; projectionPath: given more than once";
    expectError(reply, 400, "Bad Request", message);
    const withoutValueOrName = await http({ path: "/trading/status?projectionPath&verbose&=1" });
    expectError(withoutValueOrName, 400, "Bad Request", "verbose: unknown field; : unknown field");
    expect((await http({ path: "/services/SIM?name=TWAP" })).status).toBe(400);
    expect((await http({ ...post("/trading/halt", "{}"), path: "/trading/halt?reason=x" })).status).toBe(400);
  });

  rule(
    "a setting lets old clients send unknown fields",
    async ({ http, gate }) => {
      const path = "/risk/update?x=1";
      const commands = [{ type: "UPDATE", conditions: { Account: "GOLD" }, limits: {}, note: "hi" }];
      const reply = await http(post(path, JSON.stringify({ projection: "Account", commands, y: 1 })));
      expect(reply.status).toBe(200);
      expect(gate.seen.at(-1)?.input).toEqual({
        projection: "Account",
        commands: [{ type: "UPDATE", conditions: { Account: "GOLD" }, limits: {} }],
      });
      expect((await http({ path: "/trading/status?projectionPath=Account[A]&projectionPath=&z=1" })).body).toContain(
        "Account[A]",
      );
      expect((await http(post("/services/SIM/disable", '{"name":"TWAP"}'))).status).toBe(200);
      expect(gate.seen.at(-1)?.input).toMatchObject({ name: "SIM" });
    },
    { unknownFields: "ignore" },
  );

  rule("D-HTTP 18: an optional field given as null counts as omitted", async ({ http, gate }) => {
    await http(post("/trading/halt", '{"projectionPath":null,"reason":null,"cancelOrders":null}'));
    expect(gate.seen.at(-1)?.input).toEqual({ projectionPath: "", reason: "Trading halted", cancelOrders: false });
    const reply = await http(post("/positions/adjust", '{"projectionPath":"Account[A]","size":null}'));
    expectError(reply, 400, "Bad Request", expect.stringMatching(/^size: /));
  });

  rule("D-HTTP 7: every bad field is named in one go", async ({ http }) => {
    const commands = [
      { type: "SET", conditions: { Account: "A", Foo: "x" }, limits: { MaxOrderSize: 5 } },
      { conditions: {}, limit: {} },
      null,
    ];
    const reply = await http(post("/risk/update", JSON.stringify({ projection: "Account", commands })));
    const { message } = JSON.parse(reply.body);
    expect(reply.status).toBe(400);
    for (const part of [
      "commands[0].type: must be one of INSERT, UPDATE, DELETE",
      "commands[0].limits.MaxOrderSize: must be a decimal string",
      'commands[0].conditions: unknown projection key "Foo"',
      "commands[1].type: is required",
      "commands[2]: must be an object",
      "commands[1].limit: unknown field",
      'commands[1].conditions: projection key "Account" is missing',
    ]) {
      expect(message).toContain(part);
    }
  });
});
