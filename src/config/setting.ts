import { z } from "zod";
import type { ValueType } from "./values.ts";

/** Facts about a setting, beside its schema, for messages, loader and reference. */
export interface SettingInfo extends Omit<ValueType<unknown>, "schema"> {
  /** The default as an operator would write it; absent for an optional setting. */
  readonly fallback?: string;
  readonly meaning: string;
}

const infos = z.registry<SettingInfo>();

/** A setting that always has a value. */
export function setting<T>(type: ValueType<T>, fallback: string, meaning: string): z.ZodPrefault<z.ZodType<T>> {
  const { schema, ...info } = type;
  return schema.prefault(fallback).register(infos, { ...info, fallback, meaning });
}

/** A setting that may be left out. */
export function optional<T>(type: ValueType<T>, meaning: string): z.ZodOptional<z.ZodType<T>> {
  const { schema, ...info } = type;
  return schema.optional().register(infos, { ...info, meaning });
}

/** The facts about the setting with this schema; undefined for a schema that was not made here. */
export function infoOfSetting(schema: z.ZodType): SettingInfo | undefined {
  return infos.get(schema);
}
