import { expect } from "vitest";
import type { Case } from "../bench.ts";

const DESK = { gateway: "RFQ1", session: "EUR/USD desk" };
const ENCODED = { gateway: "RFQ1", session: "EUR%2FUSD%20desk" };

const UNKNOWN = `Unknown FIX session "${ENCODED.session}" of gateway "RFQ1"`;

/** A name that reads as the path of another operation. */
const CROOKED = "../trading/status#";

export const ADDRESSES: readonly Case[] = [
  {
    proves: "a name with / in a path is sent as %2F",
    unable: { to: "encoding", proves: "a name with / in a path is not found unless the caller encodes it" },
    async run({ client, generator: { limits }, lastRequest }) {
      const plain = limits.encoding ? ENCODED : DESK;
      for (const name of ["getFixSession", "disableFixSession", "enableFixSession"] as const) {
        const { status, data } = await client[name](plain);
        expect({ status, data }).toEqual({ status: 200, data: expect.objectContaining({ sessionId: DESK.session }) });
        expect(lastRequest()).toEqual({ method: name, input: DESK });
      }
      const other = await client.getFixSession(limits.encoding ? DESK : ENCODED);
      const message = limits.encoding ? "No operation has this path" : UNKNOWN;
      expect(other).toMatchObject({ status: 404, error: { message } });
    },
  },
  {
    proves: "a name that reads as a path remains a name",
    unable: {
      to: "encoding",
      proves: "a name that reads as a path runs another operation unless the caller encodes it",
    },
    async run({ client, generator: { limits }, lastRequest }) {
      const crooked = await client.getService({ name: CROOKED });
      const unknown = { status: 404, error: { message: `Unknown service "${CROOKED}"` } };
      const astray = { status: 200, data: { projectionPath: "", halted: expect.any(Boolean) } };
      expect(crooked).toMatchObject(limits.encoding ? astray : unknown);
      expect(lastRequest()?.method).toBe(limits.encoding ? "getTradingStatus" : "getService");
      if (!limits.encoding) return;
      expect(await client.getService({ name: encodeURIComponent(CROOKED) })).toMatchObject(unknown);
    },
  },
  {
    proves: "the server's address is given when it runs",
    unable: { to: "address", proves: "the server's address stands in the code" },
    async run({ connect, world, generator: { limits } }) {
      const { status } = await connect("chief", undefined, `${world.origin}/nowhere`).listServices();
      expect(status).toBe(limits.address ? 200 : 404);
    },
  },
];
