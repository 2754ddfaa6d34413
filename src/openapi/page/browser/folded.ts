import type { System } from "./swagger-ui.ts";

/** What most readers do without, below a line that opens it. */
export function folded({ React }: System, title: string, content: unknown): unknown {
  return React.createElement("details", {}, React.createElement("summary", {}, title), content);
}
