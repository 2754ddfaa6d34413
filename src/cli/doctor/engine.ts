import { objectIn } from "../../client/result.ts";
import { ROUTES } from "../../client/routes.ts";
import type { Output } from "../../core/operations/table.ts";
import { type Finding, findings } from "./network.ts";

/** What an engine may have: all but what the gateway answers by itself. */
const OPERATIONS = Object.keys(ROUTES).filter((name) => name !== "whoami");

const COUNTED = ["connections", "messages", "bytes"] as const;

/** What the engine says of itself in the response to `GET /engine`; nothing where other checks say that it cannot be asked. */
export function engineFindings(status: number, body: string): Finding[] {
  const { ok, unknown } = findings("engine");
  if (status === 404)
    return [unknown("does not say what it has: it has no describeEngine, or the gateway is without extensions")];
  const described = objectIn(body) as Partial<Output<"describeEngine">>;
  if (status !== 200 || described.name === undefined || described.operations === undefined) return [];
  const parts = [[described.name, described.version].filter(Boolean).join(" "), ...detailsOf(described)];
  return [ok(parts.join("; "))];
}

function detailsOf(described: Partial<Output<"describeEngine">>): string[] {
  const { operations = [], haltKeys, positionProjections, riskTables, gatewayTypes, counts } = described;
  const lacking = OPERATIONS.filter((name) => !operations.includes(name));
  const uncounted = counts ? COUNTED.filter((what) => !counts[what]) : [];
  return [
    lacking.length === 0 ? "has all operations" : `lacks ${lacking.join(", ")}`,
    ...(haltKeys?.length === 0 ? ["halts the whole system only"] : []),
    ...listed("positions by", positionProjections),
    ...listed(
      "risk tables",
      riskTables?.map(({ projection }) => projection || "(system-wide)"),
    ),
    ...listed("FIX gateways", gatewayTypes),
    ...(uncounted.length === 0 ? [] : [`does not count ${uncounted.join(", ")}`]),
  ];
}

function listed(what: string, names: readonly string[] | undefined): string[] {
  return names === undefined ? [] : [`${what} ${names.join(", ") || "none"}`];
}
