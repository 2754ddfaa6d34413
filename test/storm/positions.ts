import { stringify } from "yaml";
import type { Caller } from "./caller.ts";

const ACCOUNTS = 100;
const SYMBOLS = 100;

/** Sessions of the FIX port. */
const SESSIONS = 8;

/** The projection of which every engine here has 10,000 positions. */
export const PROJECTION = "Account/Symbol";

/** The one of which they have one. */
export const SHORT_PROJECTION = "Currency";

/** An installation in which nothing moves by itself; its positions come with {@link takePositions}. */
export function installation(): string {
  const instruments = names("S", SYMBOLS).map((name) => [name, { exchange: "X", currency: "USD", price: "101.25" }]);
  return stringify({
    activity: "off",
    accounts: names("A", ACCOUNTS),
    instruments: Object.fromEntries(instruments),
    gateways: {
      OE1: { type: "OrderEntry", "local-ip": "127.0.0.1", sessions: names("FIXCLIENT", SESSIONS).map(session) },
    },
    positions: { projections: [PROJECTION, SHORT_PROJECTION] },
  });
}

/** Gives each account a position in each instrument. Rejects unless all are taken. */
export async function takePositions(callers: readonly Caller[]): Promise<void> {
  const paths = names("A", ACCOUNTS).flatMap((account) =>
    names("S", SYMBOLS).map((symbol) => `Account[${account}]/Symbol[${symbol}]`),
  );
  const take = async (caller: Caller): Promise<void> => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const body = JSON.stringify({ projectionPath: path, size: "12.5", averageCost: "100.25", realizedPnL: "3.5" });
      const { status } = await caller.call({ method: "POST", path: "/positions/adjust", body });
      if (status !== 200) throw new Error(`the position of ${path} was answered ${status}`);
    }
  };
  await Promise.all(callers.map(take));
}

function session(id: string): object {
  return { id, sender: "ENGINE", target: id, "remote-ip": "127.0.0.1" };
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}
