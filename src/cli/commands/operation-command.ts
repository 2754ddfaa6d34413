import type { OperationName } from "../../core/operations/table.ts";
import { CONNECTION_OPTIONS } from "../connection/options.ts";
import { type CommandDefinition, type OptionDefinition, options } from "../framework/definition.ts";
import { OPERATION_FACTS } from "../operations/facts.ts";
import { argumentNameOf, flagOf, type InputField } from "../operations/operation-facts.ts";
import { OUTPUT_OPTION } from "../output/format.ts";

/** Properties that differ between the commands for operations; all others are in the operation table. */
type Own = Partial<Pick<CommandDefinition, "summary" | "description" | "examples" | "options" | "load">>;

const INPUT_OPTIONS = options({
  "--input <file>": "file with the input as JSON, - for standard input; arguments and options override it",
});

export const CURL_OPTIONS = options({
  "--curl": "print the request as a curl command, without secrets, and send nothing",
});

export const WAIT_OPTIONS = options({
  "--wait [duration]": "wait until the engine shows it, 10s unless given; exit code 7 if it does not",
  "--no-wait": "do not read the state afterwards",
});

export const CHANGE_OPTIONS = options({ "-y, --yes": "do not ask" });

/** A stop never asks; scripts that add `--yes` to every command must not lose it. */
const STOP_OPTIONS = options({ "-y, --yes": "accepted, but has no effect: a stop never asks" });

const LANE_OPTIONS = { read: [], stop: STOP_OPTIONS, change: CHANGE_OPTIONS } as const;

/** Options for the fields of an operation that are not in its target. */
export function fieldOptionsOf(operation: OperationName): OptionDefinition[] {
  const { target, input } = OPERATION_FACTS[operation];
  return input.filter(({ name }) => !target.includes(name)).map(optionOf);
}

/** Changes that take back what a stop of several has stopped. */
const SEVERAL_CHANGES: readonly OperationName[] = ["enableService", "enableFixSession"];

/** The command of an operation: its target as arguments, its other fields as options, and what its lane adds. */
export function operationCommand(name: string, operation: OperationName, own: Own = {}): CommandDefinition {
  const { summary, lane, target, input } = OPERATION_FACTS[operation];
  const isSeveral = lane === "stop" || SEVERAL_CHANGES.includes(operation);
  const inTarget = ({ name: field }: InputField): boolean => target.includes(field);
  return {
    name,
    summary,
    operation,
    load: () => loadRun(operation),
    ...own,
    arguments: argumentsOf(input.filter(inTarget), isSeveral),
    options: [
      ...fieldOptionsOf(operation),
      ...(own.options ?? []),
      ...(input.length > 0 ? INPUT_OPTIONS : []),
      ...(lane === "read" ? [] : WAIT_OPTIONS),
      ...LANE_OPTIONS[lane],
      OUTPUT_OPTION,
      ...CURL_OPTIONS,
      ...CONNECTION_OPTIONS,
    ],
  };
}

/** Reads, stops and changes are separate, so that a stop loads nothing that asks or lays out tables. */
function loadRun(operation: OperationName): ReturnType<NonNullable<CommandDefinition["load"]>> {
  const { lane } = OPERATION_FACTS[operation];
  if (lane === "read") return import("../operations/read.ts");
  return lane === "stop" ? import("../operations/stop.ts") : import("../operations/change.ts");
}

/** None is required here, because the fields may be in `--input`. Of what it cannot do without, a stop and what takes it back take several. */
function argumentsOf(fields: readonly InputField[], isSeveral: boolean): Record<string, string> {
  const pairs = fields.map(({ name, description = "", required }, index): [string, string] => {
    const several = isSeveral && required === true && index === fields.length - 1;
    const words = several ? `${description.replace(/\.$/, "")}; several are sent concurrently.` : description;
    return [`[${argumentNameOf(name)}${several ? "..." : ""}]`, words];
  });
  return Object.fromEntries(pairs);
}

function optionOf({ name, kind, description, default: fallback }: InputField): OptionDefinition {
  const value = { boolean: "", json: " <json>" }[kind as string] ?? ` <${kind === "decimal" ? "decimal" : "text"}>`;
  const meaning = kind === "json" ? `${name}, as a JSON array` : `filter by ${name}`;
  const words = description?.replace(/\.$/, "") ?? meaning;
  const without = fallback === undefined ? "" : `; ${fallback} unless given`;
  return { flags: `${flagOf(name)}${value}`, description: `${words}${without}` };
}
