import type { Scene } from "./scene.ts";
import { plain, styled } from "./text.ts";

/** From this age on what is shown says how old it is, in milliseconds: an engine that hangs must not look calm. */
const OLD_MS = 3_000;

/** The state of the kill switch. How old it is and that nothing responds come first: what does not fit is cut at the end. */
export function bannerOf(scene: Scene): string {
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
  const line = plain(parts.join(""), width).padEnd(width);
  if (halted) return styled(scene, ["bold", "inverse", "red"], line);
  return styled(scene, isOld ? "yellow" : "green", line);
}
