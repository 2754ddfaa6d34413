import { givenReason } from "../../core/conventions.ts";
import type { Output } from "../../core/operations/table.ts";
import { forgotWords, repeatedWords } from "../../core/stops/words.ts";
import { absentOf, ago, failureText, lasting, since } from "../../pages/words.ts";
import type { NodeState, Nodes } from "./nodes.ts";

type Halt = Output<"listHalts">["halts"][number];

/** How trading as a whole is, in words. */
export const WHOLE_STATES = {
  running: "Trading is running",
  halted: "All trading is halted",
  unknown: "The trading state is not known",
} as const;

export const UNKNOWN_BEGINNING = "Since when and by whom is not known to this gateway";

/** Nodes that a sentence names; the table has all. */
const MAX_NAMED = 3;

/** Text beside the state of the whole, once it is known: since when and by whom it is halted, and which nodes are halted individually. */
export function aboutWhole(nodes: Nodes): string {
  const halt = nodes.haltOf("");
  const isComplete = nodes.halts.value?.complete ?? false;
  const none = isComplete ? "No node is halted." : "No node is known to be halted.";
  const paths = nodes.halted.map(({ path }) => path);
  const others = paths.length === 0 ? "" : `Halted individually: ${firstOf(paths)}.`;
  return halt ? [begunWords("Halted", halt), others].filter(Boolean).join(" ") : others || none;
}

/** What resuming everything leaves as it is, and what it cannot bring back: the stops that the engine has forgotten. */
export function beforeResumingAll(nodes: Nodes): string {
  const lost = (nodes.halts.value?.lost ?? []).map(({ target }) => target || "all trading");
  return [aboutWhole(nodes), lost.length === 0 ? "" : `Stops that the engine forgot: ${firstOf(lost)}.`]
    .filter(Boolean)
    .join(" ");
}

/** What resuming a node, "" for everything, has left halted; empty where it has left nothing. */
export function afterResuming(path: string, nodes: Nodes): string {
  const above = path === "" ? undefined : nodes.haltAbove(path);
  if (above !== undefined)
    return `${path} is no longer halted itself, but trading there stays halted, as ${above || "all trading"} is halted.`;
  const below = nodes.haltedBelow(path);
  return below.length === 0 ? "" : `${path || "Trading"} is running again. Still halted: ${firstOf(below)}.`;
}

/** `Account[GOLD], Account[SILVER], TWAP and 2 more`. */
function firstOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return `${names.slice(0, MAX_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** When, by whom and why something was stopped: null where nobody knows, undefined while what would tell it is older than the stop. */
interface Beginning {
  readonly since?: number | null | undefined;
  readonly by?: string | null | undefined;
  readonly reason?: string | null | undefined;
  readonly repeated?: Halt["repeated"];
}

/** `Halted since 22:37:34 UTC by operator: limit breach.` */
export function begunWords(done: "Halted" | "Disabled", { since: at, by, reason, repeated }: Beginning): string {
  const begun = [at == null ? "" : ` since ${since(at)}`, by == null ? "" : ` by ${by}`].join("");
  const given = givenReason(reason);
  const because = given === null ? "" : `: ${given}`;
  if (begun !== "") return `${done}${begun}${because}${repeatedWords(repeated, Date.now())}.`;
  if (at === undefined) return `${done}${because}.`;
  return `${because === "" ? "" : `${done}${because}. `}${UNKNOWN_BEGINNING}.`;
}

/** First sentence of the dialog of a halt: empty unless the path is halted already. */
export function alreadyHalted(path: string, nodes: Nodes): string {
  const halt = nodes.haltOf(path);
  if (!halt) return "";
  const { since: at, by } = halt;
  const begun = [at == null ? "" : ` since ${since(at)}`, by == null ? "" : `, by ${by}`].join("");
  return `${path === "" ? "All trading" : path} is already halted${begun}; sending it again replaces the reason.`;
}

/** The state of the whole; where everything is halted for how long, and otherwise how many nodes are; how many stops the engine has forgotten. */
export function pillWords(
  whole: keyof typeof WHOLE_STATES,
  since: number | null | undefined,
  halted: number,
  lost: number,
): string {
  const isHalted = whole === "halted";
  const time = isHalted && since != null && lasting(Date.now() - since);
  const state = time ? `All trading has been halted for ${time}` : WHOLE_STATES[whole];
  const nodes = isHalted || halted === 0 ? "" : `, ${halted} ${halted === 1 ? "node" : "nodes"} halted`;
  return `${state}${nodes}${lost === 0 ? "" : `, ${forgotWords(lost)}`}`;
}

interface ShownState {
  readonly words: string;
  readonly tone: "halted" | "running" | "unknown";
}

/** How a node is, `above` being the halt above it; a read that fails now, of this node or of everything, makes it a thing of the past. */
export function nodeState({ halted }: NodeState, above: string | undefined, failure: unknown): ShownState {
  const was = failure === undefined ? "" : "was ";
  if (halted) return { words: `${was}halted`, tone: "halted" };
  if (above !== undefined)
    return { words: `${was}halted ${above === "" ? "with all trading" : `at ${above}`}`, tone: "halted" };
  return halted === undefined
    ? { words: "not known", tone: "unknown" }
    : { words: `${was}not halted`, tone: "running" };
}

/** Where a path is halted, for a row that has its values, given the steps of both: `at Account`; empty for its own halt. */
export function haltedFrom(own: readonly string[], halt: readonly string[]): string {
  if (halt.length === 0) return "with all";
  const keys = halt.map((step) => step.slice(0, step.indexOf("[")));
  return halt.length === own.length ? "" : `at ${keys.join("/")}`;
}

/** Since when a node is halted; empty for one that is not, and while the list of halts is older than that. */
export function nodeSince({ halted, since: at }: NodeState): string {
  if (!halted || at === undefined) return "";
  return at === null ? "not known" : `${since(at)}, ${ago(Date.now() - at)}`;
}

/** User who halted a node, and who repeated that; empty for one that is not halted. */
export function nodeBy({ halted, by, repeated }: NodeState): string {
  if (!halted || by === undefined) return "";
  return `${by ?? "not known"}${repeatedWords(repeated, Date.now())}`;
}

/** Why a node was halted or resumed, or why its state is not known; what is absent is shown at the top of the page. */
export function nodeReason({ reason, failure }: NodeState): string {
  return failure === undefined || absentOf(failure) !== undefined ? (givenReason(reason) ?? "") : failureText(failure);
}
