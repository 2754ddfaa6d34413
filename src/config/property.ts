/** Where a property was written; line and column count from 1. */
export interface Origin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One entry of a property source, before anything is known about its key. */
export interface Property {
  /** The dotted key as it was written: `admin.api.maxBodySize`. */
  readonly key: string;
  /**
   * Scalars are texts, whatever the source, so that `8988` and `"8988"` are equal; null means "not set". Lists are arrays;
   * maps occur only inside lists and when they are empty.
   */
  readonly value: unknown;
  readonly origin: Origin;
}

/**
 * The form in which spellings of a key are equal: case, dashes and underscores do not count within a segment, so
 * `admin.api.max-body-size`, `admin.api.maxBodySize` and `admin.api.MAX_BODY_SIZE` are one key.
 */
export function canonicalKey(key: string): string {
  return key.replace(/[-_]/g, "").toLowerCase();
}
