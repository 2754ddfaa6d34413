import { ConfigurationError } from "./configuration-error.ts";
import { findByKey, type Property, type PropertySource } from "./property.ts";

/** `--key=value`; the value may be empty and hold anything. */
const ARGUMENT = /^--([^=]+)=(.*)$/s;

/**
 * Settings as arguments `--server.port=0`. Every one must be a setting. Throws {@link ConfigurationError} for an argument
 * that is not of this form; messages never show a value.
 */
export function commandLineSource(args: readonly string[]): PropertySource {
  const malformed = args.find((argument) => !ARGUMENT.test(argument));
  if (malformed !== undefined) throw new ConfigurationError(malformedArgument(malformed));
  const properties = args.map((argument): Property => {
    const [, key = "", value = ""] = ARGUMENT.exec(argument) ?? [];
    return { key, value, origin: { source: "command line", option: key } };
  });
  return { name: "command line", properties, strict: true, find: findByKey(properties) };
}

function malformedArgument(argument: string): string {
  const shown = argument.startsWith("-") ? argument.replace(/=.*$/s, "") : "an argument";
  return `command line: ${shown} is no setting; write --key=value, such as --server.port=0`;
}
