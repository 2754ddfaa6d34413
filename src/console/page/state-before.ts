import type { PageCommand } from "./commands.ts";
import type { Nodes } from "./nodes.ts";
import type { Records } from "./records.ts";
import { begunWords, UNKNOWN_BEGINNING } from "./trading-words.ts";

/** How the thing is that a command starts again: since when, by whom and why it was stopped. Empty for other commands. */
export function stateBefore({ operation, input }: PageCommand, nodes: Nodes, records: Records): string {
  if (operation === "resumeTrading")
    return haltBefore(("projectionPath" in input && input.projectionPath) || "", nodes);
  const stop = operation.replace(/^enable/, "disable");
  const target = "name" in input ? input.name : "session" in input ? `${input.gateway}/${input.session}` : "";
  if (stop === operation) return "";
  const found = records.find(stop, target);
  return found ? begunWords("Disabled", found) : `${UNKNOWN_BEGINNING}.`;
}

function haltBefore(path: string, nodes: Nodes): string {
  const halt = nodes.haltOf(path);
  const own = halt ? begunWords("Halted", halt) : "";
  const above = path === "" ? undefined : nodes.haltAbove(path);
  const stays = above === undefined ? "" : `It will stay halted, as ${above === "" ? "all trading" : above} is halted.`;
  return [own, stays].filter(Boolean).join(" ");
}
