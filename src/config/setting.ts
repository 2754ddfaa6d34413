import { z } from "zod";
import type { ValueType } from "./values.ts";

/** What messages, loader and reference need to know about a setting beside its schema. */
export interface SettingInfo {
  /** The values that are accepted. */
  readonly values: string;
  /** The default as an operator would write it; absent for an optional setting. */
  readonly fallback?: string;
  readonly meaning: string;
  /** The value is a path, relative to the folder of `application.yaml`. */
  readonly path: boolean;
  /** The value must not be shown. */
  readonly secret: boolean;
  /** The value is a list, whose elements can be given one by one. */
  readonly list: boolean;
}

const infos = z.registry<SettingInfo>();

function infoOf({ values, path, secret, list }: ValueType<unknown>, meaning: string): SettingInfo {
  return { values, meaning, path: path === true, secret: secret === true, list: list === true };
}

/** A setting that always has a value. */
export function setting<T>(type: ValueType<T>, fallback: string, meaning: string): z.ZodPrefault<z.ZodType<T>> {
  const schema = type.schema.prefault(fallback);
  infos.add(schema, { ...infoOf(type, meaning), fallback });
  return schema;
}

/** A setting that may be left out. */
export function optional<T>(type: ValueType<T>, meaning: string): z.ZodOptional<z.ZodType<T>> {
  const schema = type.schema.optional();
  infos.add(schema, infoOf(type, meaning));
  return schema;
}

/** What is known about the setting with this schema; undefined when it was made in another way. */
export function infoOfSetting(schema: z.ZodType): SettingInfo | undefined {
  return infos.get(schema);
}
