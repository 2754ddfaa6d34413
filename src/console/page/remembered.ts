import { type Choices, choicesOf } from "./choices-of.ts";

/** What the browser remembers of this page for its next visit; nothing where it may keep nothing. */
const KEY = "trading-console";

/** What was remembered last. */
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
