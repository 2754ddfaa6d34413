import type { OptionDefinition } from "./definition.ts";

/** The parts of an option's flags, such as `-o, --output <format>`. */
interface Flags {
  /** As they are typed: `["-o", "--output"]`. */
  readonly names: readonly string[];
  /** Name of its value; undefined for a flag. */
  readonly value: string | undefined;
  /** The value may be left out. */
  readonly optionalValue: boolean;
  /** Under which its value is found: `output`; that of `--no-wait` is `wait`. */
  readonly key: string;
}

/** Takes the flags of an option apart, as commander does. */
export function flagsOf({ flags }: Pick<OptionDefinition, "flags">): Flags {
  const names = flags.split(/[ ,|]+/).filter((word) => word.startsWith("-"));
  const value = /([<[])([^\]>]+)[\]>]/.exec(flags);
  const long = names.find((name) => name.startsWith("--")) ?? names[0] ?? "";
  const key = long.replace(/^--?(no-)?/, "").replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { names, value: value?.[2], optionalValue: value?.[1] === "[", key };
}
