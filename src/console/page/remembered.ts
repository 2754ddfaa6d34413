/** What the browser remembers of this page for its next visit; nothing where it may keep nothing. */
const KEY = "trading-console";

/** Choices of the operator. */
export interface Remembered {
  readonly positions?: string;
  readonly risk?: string;
  /** Nodes that were looked at. */
  readonly nodes?: readonly string[];
}

/** What was remembered last. */
export function remembered(): Remembered {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    // Storage that is forbidden or holds something else: the page begins as on a first visit.
    return {};
  }
}

/** Remembers choices beside those that are remembered already. */
export function remember(choices: Remembered): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...choices }));
  } catch {
    // Forbidden: then nothing is remembered.
  }
}
