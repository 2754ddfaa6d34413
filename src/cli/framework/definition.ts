import type { OperationName } from "../../core/operations/table.ts";

/**
 * A command as the table of commands describes it. Parsing, help, completion, the manual page and docs/cli.md are derived from
 * this, so the table holds no code: `load` imports what the command runs, and nothing else is loaded for it.
 */
export interface CommandDefinition {
  /** The word that is typed. */
  readonly name: string;
  readonly summary: string;
  /** More than the summary says; paragraphs for `--help` and the manual. */
  readonly description?: string;
  readonly operation?: OperationName;
  /**
   * Positional arguments as commander takes them, `<file>`, `[path]`, `[words...]`, each with what it is for. The shell completes
   * those that are called gateway, session or service with names of the live installation, a path with what is halted.
   */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: readonly OptionDefinition[];
  readonly examples?: Examples;
  /** Takes `--key=value` arguments beside its options, which go before the settings of the configuration file. */
  readonly takesSettings?: boolean;
  readonly commands?: readonly CommandDefinition[];
  /** Heading in the help above it; `Commands` unless given. */
  readonly group?: string;
  /** Absent for a group, which only holds further commands. */
  readonly load?: () => Promise<{ readonly run: Run }>;
}

/** An option; its value is in {@link Invocation.options} under its name in camel case. */
export interface OptionDefinition {
  /** As commander takes it: `--since <time>`, `-v, --verbose`, `--wait [duration]`, `--no-wait`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Environment variable that stands for it; shown in help, read where the value is used. */
  readonly env?: string;
  readonly required?: boolean;
  /** Heading in the help, for options that many commands share; `Options` unless given. */
  readonly group?: string;
}

/** Options of which no more is to be said than what they are for, by their flags. */
export function options(descriptions: Readonly<Record<string, string>>): OptionDefinition[] {
  return Object.entries(descriptions).map(([flags, description]) => ({ flags, description }));
}

/** Command lines to paste, each with what it does. */
export type Examples = Readonly<Record<string, string>>;

export interface Invocation {
  readonly table: readonly CommandDefinition[];
  readonly command: CommandDefinition;
  /** By name; a variadic argument is a list; undefined where it was left out. */
  readonly arguments: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** By name in camel case; undefined where it was left out. */
  readonly options: Options;
  /** Arguments `--key=value` of a command that takes settings. */
  readonly settings: readonly string[];
}

/** Values of options: text, or true for a flag, or false for `--no-x`. */
export type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Runs a command: data on standard output, everything else on standard error. Returns the exit code, or nothing for 0; rejects
 * with an error whose message is for people.
 */
export type Run = (invocation: Invocation) => Promise<number> | Promise<void>;

/** Operations with the commands that are typed for them, the shortest last: `halt` for `haltTrading`, `fix disable` for `disableFixSession`. */
export function typedCommands(commands: Invocation["table"], above = ""): [operation: string, words: string][] {
  const found = commands.flatMap(({ name, operation, commands: below = [] }): [string, string][] => {
    const words = `${above}${name}`;
    return [
      ...(operation === undefined ? [] : [[operation, words] as [string, string]]),
      ...typedCommands(below, `${words} `),
    ];
  });
  return found.toSorted(([, a], [, b]) => b.length - a.length);
}
