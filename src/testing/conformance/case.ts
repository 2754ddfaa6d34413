/** One case of a conformance kit, for any test runner. */
export interface ConformanceCase {
  /** What has to hold, as a sentence. */
  readonly name: string;
  /** Rejects with an error that says what was expected and what came. May take up to a minute. */
  run(): Promise<void>;
}
