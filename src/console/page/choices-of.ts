import { isObject } from "../../core/values/basics.ts";

export interface Choices {
  readonly positions?: string;
  readonly risk?: string;
  /** Nodes that were looked at. */
  readonly nodes?: readonly string[];
}

/** Nodes that are remembered; each is read from the engine in its turn. */
const MAX_NODES = 50;

/** Characters of a projection or a path of a node. */
const MAX_CHARACTERS = 1_000;

/** The parts of a value that have the shape of choices: other pages of the origin may have stored it. */
export function choicesOf(value: unknown): Choices {
  const { positions, risk, nodes } = isObject(value) ? value : {};
  return {
    ...(isChoice(positions) && { positions }),
    ...(isChoice(risk) && { risk }),
    ...(Array.isArray(nodes) && { nodes: nodes.filter(isChoice).slice(-MAX_NODES) }),
  };
}

function isChoice(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_CHARACTERS;
}
