import { lostWords } from "../../core/stops/words.ts";
import { type Halts, nodesBelow } from "../halts/halts.ts";
import { counted, wrapped } from "../output/columns.ts";
import { plain, styled } from "./layout.ts";
import type { Scene } from "./view.ts";

/** From this age on what is shown says how old it is, in milliseconds: an engine that hangs must not look calm. */
const OLD_MS = 3_000;

/** Forgotten stops that have lines of their own, and how many each. */
const MOST_LOST = 2;
const MOST_LINES = 2;

/**
 * The lines below the heading: the kill switch, nodes that are halted one by one, and stops that the engine has forgotten. In each the most
 * important comes first: what does not fit is cut at the end.
 */
export function bannerOf(scene: Scene): string[] {
  const { reading } = scene.state;
  const further = reading ? furtherLines(reading.halts, scene) : [];
  const lines = further.map((words) => styled(scene, ["bold", "inverse", "red"], padded(words, scene.width)));
  return [killSwitchOf(scene), ...lines];
}

function furtherLines({ halts, lost }: Halts, { width, now }: Scene): string[] {
  const nodes = nodesBelow("", halts).map(({ projectionPath }) => projectionPath);
  const shown = lost.slice(0, MOST_LOST).flatMap((stop) => wrapped(lostWords(stop, now), width).slice(0, MOST_LINES));
  return [
    ...(nodes.length === 0 ? [] : [`${counted(nodes.length, "node")} HALTED: ${nodes.join(", ")}`]),
    ...shown,
    ...(lost.length > MOST_LOST
      ? [`${lost.length - MOST_LOST} more that the engine no longer shows: trading halts`]
      : []),
  ];
}

function killSwitchOf(scene: Scene): string {
  const { state, now, width } = scene;
  const { reading, outageSince } = state;
  const secondsSince = (at: number): number => Math.round((now - at) / 1_000);
  if (!reading) {
    const words = outageSince === undefined ? "reading ..." : `NO RESPONSE for ${secondsSince(outageSince)} s`;
    return styled(scene, "yellow", plain(words, width));
  }
  const { halted, reason } = reading.status;
  const isOld = outageSince !== undefined || now - reading.at >= OLD_MS;
  const parts = [
    outageSince === undefined ? "" : "NO RESPONSE. ",
    isOld ? `${secondsSince(reading.at)} s ago: ` : "",
    `trading ${halted ? `HALTED (system-wide): ${reason ?? "no reason given"}` : "is not halted (system-wide)"}`,
  ];
  const line = padded(parts.join(""), width);
  if (halted) return styled(scene, ["bold", "inverse", "red"], line);
  return styled(scene, isOld ? "yellow" : "green", line);
}

function padded(words: string, width: number): string {
  return plain(words, width).padEnd(width);
}
