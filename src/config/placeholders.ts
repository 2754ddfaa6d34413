import { originText, type Property, type PropertySource } from "./property.ts";
import { settingTarget } from "./setting-target.ts";
import { settingInfo } from "./settings.ts";

/** A placeholder that cannot be replaced; the message is for the operator and shows no value. */
class PlaceholderError extends Error {
  override readonly name = "PlaceholderError";
}

/** More than settings need, and few enough to stop values that multiply. */
const MAX_REPLACEMENTS = 1_000;

/**
 * Replaces `${name}` and `${name:default}` as Spring does: by the first of the sources that has the name, in whatever
 * spelling, else by the default. Values and defaults may hold placeholders themselves, and so may names; `\${` stands for
 * `${`. The content of files of a config tree is taken as it is. Throws {@link PlaceholderError} when there is no value, for
 * a circle, and for a placeholder that is not closed.
 */
class Resolution {
  readonly used: Property[] = [];
  readonly #sources: readonly PropertySource[];
  #replacements = 0;

  constructor(sources: readonly PropertySource[]) {
    this.#sources = sources;
  }

  /** `path` are the names whose values the text is part of. */
  replace(text: string, path: readonly string[]): string {
    let replaced = "";
    let at = 0;
    for (;;) {
      const start = text.indexOf("${", at);
      if (start < 0) return replaced + text.slice(at);
      if (start > at && text[start - 1] === "\\") {
        replaced += `${text.slice(at, start - 1)}\${`;
        at = start + 2;
        continue;
      }
      const end = endOf(text, start + 2);
      replaced += text.slice(at, start) + this.#value(text.slice(start + 2, end), path);
      at = end + 1;
    }
  }

  #value(placeholder: string, path: readonly string[]): string {
    const colon = separatorOf(placeholder);
    const name = this.replace(placeholder.slice(0, colon), path);
    this.#guard(name, path);
    const property = this.#sources.map((source) => source.find(name)).find((found) => found !== undefined);
    if (property !== undefined) return this.#valueOf(property, [...path, name]);
    if (colon < placeholder.length) return this.replace(placeholder.slice(colon + 1), path);
    throw new PlaceholderError(
      `no value for \${${name}}: set an environment variable or property of that name, or write \${${name}:default}`,
    );
  }

  #valueOf(property: Property, path: readonly string[]): string {
    this.used.push(property);
    const { value, fault, origin } = property;
    if (fault !== undefined) throw new PlaceholderError(`\${${path.at(-1)}}: ${originText(origin)}: ${fault}`);
    if (typeof value !== "string") {
      throw new PlaceholderError(`\${${path.at(-1)}} (${originText(origin)}) is a list, which cannot stand in a text`);
    }
    return origin.source === "config tree" ? value : this.replace(value, path);
  }

  #guard(name: string, path: readonly string[]): void {
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name].map((part) => `\${${part}}`);
      throw new PlaceholderError(`placeholders go in a circle: ${circle.join(" -> ")}`);
    }
    this.#replacements += 1;
    if (this.#replacements > MAX_REPLACEMENTS) {
      throw new PlaceholderError(`more than ${MAX_REPLACEMENTS} placeholders are replaced for one value`);
    }
  }
}

/** Where the placeholder ends whose text begins at `at`; braces in it are counted. */
function endOf(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}" && depth === 0) return index;
    if (text[index] === "}") depth -= 1;
  }
  throw new PlaceholderError('a placeholder "${" is not closed; write "\\${" where no placeholder is intended');
}

/** Where the default begins: the first colon that is not in a placeholder; the end, if there is none. */
function separatorOf(placeholder: string): number {
  let depth = 0;
  for (let index = 0; index < placeholder.length; index += 1) {
    if (placeholder[index] === "{") depth += 1;
    if (placeholder[index] === "}") depth -= 1;
    if (placeholder[index] === ":" && depth === 0) return index;
  }
  return placeholder.length;
}

export interface ResolvedProperty {
  /** Text, or a list of texts; undefined when there is a fault. */
  readonly value: unknown;
  /** Why the value cannot be had. */
  readonly fault?: string;
  /** Properties that took the place of placeholders. */
  readonly used: readonly Property[];
}

export function resolveProperty(property: Property, sources: readonly PropertySource[]): ResolvedProperty {
  const { value, fault, origin } = property;
  if (fault !== undefined) return { value: undefined, fault, used: [] };
  if (origin.source === "config tree") return { value, used: [] };
  const resolution = new Resolution(sources);
  const { used } = resolution;
  const replace = (text: unknown): unknown => (typeof text === "string" ? resolution.replace(text, []) : text);
  try {
    return { value: Array.isArray(value) ? value.map(replace) : replace(value), used };
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    return { value: undefined, fault: error.message, used };
  }
}

/** Whether a value must not be shown because of what is in it: a secret setting, or a file that is not a setting. */
export function isConfidential({ used }: ResolvedProperty): boolean {
  return used.some(isSecret);
}

function isSecret({ key, origin }: Property): boolean {
  const target = settingTarget(key);
  return target === undefined ? origin.source === "config tree" : settingInfo(target.key).secret === true;
}
