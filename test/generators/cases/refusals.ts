import { expect } from "vitest";
import { lacks } from "../../requirements/support/responses.ts";
import { unknownKey } from "../../support/unknown-key.ts";
import type { Case } from "../bench.ts";
import type { Reply } from "../generator.ts";

function body(status: number, error: string, message: string): object {
  return { status, error, message };
}

function shown({ status, data, error }: Reply): object {
  return { status, data, error };
}

export const REFUSALS: readonly Case[] = [
  {
    proves: "an empty 401 shows in the status, and as an error without content",
    unable: { to: "unauthorized", proves: "an empty 401 shows in the status alone: there is no error" },
    async run({ connect, world, generator: { shapes, limits } }) {
      const stranger = connect("chief", "wrong");
      const asked = world.gate.seen.length;
      const read = shown(await stranger.getService({ name: "TWAP" }));
      expect(read).toEqual({ status: 401, error: shapes.emptyError.value });
      const command = shown(await stranger.haltTrading({}));
      expect(command).toEqual({ status: 401, error: shapes.emptyErrorOfCommand.value });
      expect(world.gate.seen).toHaveLength(asked);
      expect(shapes.emptyError.value === undefined).toBe(limits.unauthorized !== undefined);
    },
  },
  {
    proves: "403, 404 and 400 show the status and the JSON body",
    async run({ client, connect }) {
      const commands = [{ type: "UPDATE", conditions: { Source: "*" }, limits: {} }];
      const denied = await connect("viewer").updateRiskTable({ projection: "Source", commands });
      const message = lacks("viewer", "CHANGE_RISK_LIMITS");
      expect(shown(denied)).toEqual({ status: 403, error: body(403, "Forbidden", message) });
      const unknown = await client.getService({ name: "TWAP2" });
      expect(shown(unknown)).toEqual({ status: 404, error: body(404, "Not Found", 'Unknown service "TWAP2"') });
      const wrong = await client.listPositions({ projection: "Nope" });
      const reason = `projection: ${unknownKey("Nope")}`;
      expect(shown(wrong)).toEqual({ status: 400, error: body(400, "Bad Request", reason) });
    },
  },
  {
    proves: "403 of a command without a response shows the JSON body as well",
    unable: {
      to: "refusals",
      proves: "403 of a command without a response leaves the JSON body unread, for the caller",
    },
    async run({ connect, generator: { limits } }) {
      const denied = await connect("viewer").haltTrading({});
      const expected = body(403, "Forbidden", lacks("viewer", "HALT_RESUME_TRADING"));
      expect(shown(denied)).toEqual({ status: 403, error: limits.refusals ? null : expected });
      if (limits.refusals) expect(JSON.parse(denied.unread ?? "")).toEqual(expected);
    },
  },
];
