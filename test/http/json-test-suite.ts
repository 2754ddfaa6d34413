import { readFileSync } from "node:fs";

interface Suite {
  readonly texts: Readonly<Record<string, string>>;
  readonly base64: Readonly<Record<string, string>>;
  readonly repeated: Readonly<Record<string, { readonly text: string; readonly times: number; readonly end: string }>>;
}

/** A file of JSONTestSuite; its name begins with what a parser is to do with it: `y_` accept, `n_` refuse, `i_` either. */
export interface JsonCase {
  readonly name: string;
  readonly bytes: Buffer;
}

const suite: Suite = JSON.parse(readFileSync(new URL("json-test-suite.json", import.meta.url), "utf8"));

export const JSON_CASES: readonly JsonCase[] = [
  ...Object.entries(suite.texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
  ...Object.entries(suite.base64).map(([name, text]) => ({ name, bytes: Buffer.from(text, "base64") })),
  ...Object.entries(suite.repeated).map(([name, { text, times, end }]) => ({
    name,
    bytes: Buffer.from(text.repeat(times) + end),
  })),
];

/** Which of the suite's valid files are refused all the same: keys that stand twice (decision D-HTTP 5). */
export const DUPLICATE_KEYS: readonly string[] = ["y_object_duplicated_key", "y_object_duplicated_key_and_value"];
