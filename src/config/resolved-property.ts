import { PlaceholderError, resolvePlaceholders } from "./placeholders.ts";
import type { Property, PropertySource } from "./property.ts";
import { settingTarget } from "./setting-target.ts";
import { settingInfo } from "./settings.ts";

/** The value of a property with its placeholders replaced. */
export interface ResolvedProperty {
  /** Text, or a list of texts; undefined when there is a fault. */
  readonly value: unknown;
  /** Why the value cannot be had. */
  readonly fault?: string;
  /** Properties that took the place of placeholders. */
  readonly used: readonly Property[];
}

/** Replaces the placeholders in the texts of a property. */
export function resolveProperty(property: Property, sources: readonly PropertySource[]): ResolvedProperty {
  const { value, fault, origin } = property;
  if (fault !== undefined) return { value: undefined, fault, used: [] };
  if (origin.source === "config tree") return { value, used: [] };
  const used: Property[] = [];
  const replace = (text: unknown): unknown => {
    if (typeof text !== "string") return text;
    const resolved = resolvePlaceholders(text, sources);
    used.push(...resolved.used);
    return resolved.text;
  };
  try {
    const replaced = Array.isArray(value) ? value.map(replace) : replace(value);
    return { value: replaced, used };
  } catch (error) {
    if (!(error instanceof PlaceholderError)) throw error;
    return { value: undefined, fault: error.message, used };
  }
}

/** Whether a value must not be shown because of what is in it: a secret setting, or a file that is no setting. */
export function isConfidential({ used }: ResolvedProperty): boolean {
  return used.some(isSecret);
}

function isSecret({ key, origin }: Property): boolean {
  const target = settingTarget(key);
  return target === undefined ? origin.source === "config tree" : settingInfo(target.key).secret;
}
