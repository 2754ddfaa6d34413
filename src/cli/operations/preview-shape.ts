/** What a person sees before they confirm a change. */
export interface Preview {
  /** The state now; undefined where it cannot be read. */
  readonly now: unknown;
  /** What is now, and what would be. */
  readonly lines: readonly string[];
  /** What is confirmed once more. */
  readonly drastic: readonly string[];
}
