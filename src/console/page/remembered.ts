import { type Choices, choicesOf } from "./choices-of.ts";

/** Key of the browser's storage for the choices on this page; there are none where it may keep nothing. */
const KEY = "trading-console";

export function remembered(): Choices {
  try {
    return choicesOf(JSON.parse(localStorage.getItem(KEY) ?? "{}"));
  } catch {
    // Storage that is forbidden or holds something else: the page begins as on a first visit.
    return {};
  }
}

/** Remembers choices beside those that are remembered already. */
export function remember(choices: Choices): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(choicesOf({ ...remembered(), ...choices })));
  } catch {
    // Forbidden: then nothing is remembered.
  }
}

/**
 * What the address says of something; empty when it says nothing. How an operator looks at the tables is in the address of the page, so that
 * it outlives a reload and can be passed on as a link.
 */
export function inAddress(name: string): string {
  return new URLSearchParams(location.search).get(name) ?? "";
}

/** Notes something in the address, without a step in the history; an empty text takes it out. */
export function noteInAddress(name: string, text: string): void {
  if (inAddress(name) === text) return;
  const query = new URLSearchParams(location.search);
  if (text === "") query.delete(name);
  else query.set(name, text);
  const search = String(query);
  history.replaceState(null, "", `${location.pathname}${search && `?${search}`}${location.hash}`);
}
