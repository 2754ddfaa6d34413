/** Place in a text file; line and column count from 1. */
export interface FileOrigin {
  readonly source: "file";
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a property was given. */
export type Origin =
  | { readonly source: "command line"; readonly option: string }
  | { readonly source: "environment"; readonly variable: string }
  | { readonly source: "config tree"; readonly file: string }
  | FileOrigin;

/** One entry of a property source, before anything is known about its key. */
export interface Property {
  /** The dotted key as it was written: `admin.api.maxBodySize`; for environment variables as it is documented. */
  readonly key: string;
  /**
   * Scalars are texts, whatever the source, so that `8988` and `"8988"` are equal; null means "not set". Lists are arrays;
   * maps occur only inside lists and when they are empty.
   */
  readonly value: unknown;
  readonly origin: Origin;
  /** Why there is no value to use, in words for the operator; it matters only to who needs the value. */
  readonly fault?: string;
}

export interface PropertySource {
  /** Name for the operator. */
  readonly name: string;
  readonly properties: readonly Property[];
  /** Every key must be a setting; without it, keys of others are left alone. */
  readonly strict: boolean;
  /** The property that a placeholder `${name}` means. */
  find(name: string): Property | undefined;
}

/** The place as messages name it: `application.yaml:3`, `environment variable SERVER_PORT`, `command line --server.port`. */
export function originText(origin: Origin): string {
  switch (origin.source) {
    case "command line":
      return `command line --${origin.option}`;
    case "environment":
      return `environment variable ${origin.variable}`;
    case "config tree":
      return `config tree file ${origin.file}`;
    case "file":
      return `${origin.file}:${origin.line}`;
  }
}

/**
 * The form in which spellings of a key are equal: case, dashes and underscores do not count within a segment, so
 * `admin.api.max-body-size`, `admin.api.maxBodySize` and `admin.api.MAX_BODY_SIZE` are one key.
 */
export function canonicalKey(key: string): string {
  return key.replace(/[-_]/g, "").toLowerCase();
}

/** A finder of placeholders among properties by their keys, in whatever spelling; one that is null is not set. */
export function findByKey(properties: readonly Property[]): PropertySource["find"] {
  const known = new Map<string, Property>();
  for (const property of properties) {
    const key = canonicalKey(property.key);
    if (property.value !== null && !known.has(key)) known.set(key, property);
  }
  return (name) => known.get(canonicalKey(name));
}
