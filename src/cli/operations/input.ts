import { AdminError } from "../../core/errors.ts";
import type { CallName, OperationName } from "../../core/operations/table.ts";
import { isObject, shellWord } from "../../core/values/basics.ts";
import { UsageError } from "../exit-codes.ts";
import type { Invocation, Options } from "../framework/definition.ts";
import { textOfFile } from "../process.ts";
import { warn } from "../terminal/messages.ts";
import { OPERATION_FACTS } from "./facts.ts";
import { argumentNameOf, flagOf, type InputField, type OperationFacts, optionKeyOf } from "./operation-facts.ts";
import { warnOfWildcards } from "./path.ts";

export type OperationInput = Readonly<Record<string, unknown>>;

/** One invocation for each named thing; duplicates count once. */
export function eachNamed(invocation: Invocation): Invocation[] {
  const { arguments: args } = invocation;
  const list = Object.entries(args).find(([, value]) => Array.isArray(value));
  if (!list) return [invocation];
  const [word, names] = list as [string, readonly string[]];
  const each = names.length === 0 ? [undefined] : [...new Set(names)];
  return each.map((name) => ({ ...invocation, arguments: { ...args, [word]: name } }));
}

/** For commands that name several things. */
export function refuseInput({ input }: Options): void {
  if (input !== undefined) throw new UsageError("--input is the input of one request; nothing was sent");
}

/**
 * The input that arguments, options and `--input` give together. What the values may be is the API's to say.
 *
 * @throws UsageError for a field that is missing, for an argument that is empty, and for invalid JSON.
 */
export async function inputOf(operation: OperationName, invocation: Invocation): Promise<OperationInput> {
  const fields = OPERATION_FACTS[operation].input;
  const { input: file } = invocation.options;
  const base = typeof file === "string" ? objectOf("--input", await textIn(file)) : {};
  const typed = fields.map((field) => [field.name, typedValue(field, invocation)]);
  const input = { ...base, ...Object.fromEntries(typed.filter(([, value]) => value !== undefined)) };
  refuseEmpty(operation, fields, invocation);
  warnOfWildcards(input);
  const missing = fields.filter(({ name, required }) => required && input[name] === undefined);
  if (missing.length === 0) return input;
  const words = missing.map((field) => wordFor(field, operation));
  throw new UsageError(`missing: ${words.join(", ")}${missingAdvice(words, input)}; nothing was sent`);
}

/** The line that gives an input: `words` are those of its command. A list in the place of a name is several commands in one line. */
export function typedLine(words: string, operation: CallName, input: OperationInput): string {
  const facts: Partial<Record<CallName, OperationFacts>> = OPERATION_FACTS;
  const { target = [] } = facts[operation] ?? {};
  const places = target
    .filter((field) => input[field] !== undefined)
    .flatMap((field) => [input[field]].flat().map(valueWord));
  const options = Object.entries(input)
    .filter(([field, value]) => !target.includes(field) && value !== false)
    .map(([field, value]) => (value === true ? flagOf(field) : `${flagOf(field)} ${valueWord(value)}`));
  return commandLine(words, places, options);
}

/** A command to be typed. Names that begin like options come behind `--`, or they would be taken for options. */
export function commandLine(words: string, places: readonly string[], options: readonly string[] = []): string {
  const isLikeOption = places.some((place) => /^(?:\$?')?-/.test(place));
  const parts = isLikeOption ? [...options, "--", ...places] : [...places, ...options];
  return [words, ...parts].join(" ");
}

function valueWord(value: unknown): string {
  return shellWord(typeof value === "string" ? value : JSON.stringify(value));
}

/** A session that is named alone was taken for a gateway; JSON for one limit need not be written. */
function missingAdvice(missing: readonly string[], { gateway }: OperationInput): string {
  if (missing.includes("--commands")) return "; trading-admin risk set changes limits of one row";
  if (typeof gateway !== "string" || !missing.includes("<session>")) return "";
  return `; if ${gateway} is a session, trading-admin fix session ${shellWord(gateway)} finds its gateway`;
}

/**
 * An argument that is empty is a variable of a script that is not set. An empty path means everything: of a change nobody means
 * that, and a stop is sent all the same.
 */
function refuseEmpty(operation: OperationName, fields: readonly InputField[], { arguments: args }: Invocation): void {
  const { lane } = OPERATION_FACTS[operation];
  const empty = fields.find(({ name }) => args[argumentNameOf(name)] === "");
  if (empty === undefined || lane === "read") return;
  const word = `<${argumentNameOf(empty.name)}>`;
  if (lane === "stop" && empty.required !== true) {
    warn(`${word} is empty: this stops everything`);
    return;
  }
  const whole = empty.name === "projectionPath" ? "; leave it out for system-wide" : "";
  const instead = operation === "adjustPosition" ? "; the root is adjusted with --input" : whole;
  throw new UsageError(`${word} is empty${instead}; nothing was sent`);
}

function typedValue({ name, kind }: InputField, { arguments: args, options }: Invocation): unknown {
  const argument = args[argumentNameOf(name)];
  if (argument !== undefined) return argument;
  const option = options[optionKeyOf(name)];
  return kind === "json" && typeof option === "string" ? jsonOf(`--${name}`, option) : option;
}

function wordFor({ name }: InputField, operation: OperationName): string {
  return OPERATION_FACTS[operation].target.includes(name) ? `<${argumentNameOf(name)}>` : `--${name}`;
}

/** The JSON object that was typed, or read; `what` begins the message when it is none. */
export function objectOf(what: string, text: string): OperationInput {
  const value = jsonOf(what, text);
  if (isObject(value)) return value;
  throw new UsageError(`${what}: must be a JSON object, such as {"reason":"drill"}; nothing was sent`);
}

/**
 * Refuses JSON that no gateway takes, before a preview is made of it. Which keys and how many commands an installation has is the
 * gateway's to say.
 *
 * @throws UsageError that names each faulty field.
 */
export async function refuseInvalid(operation: OperationName, input: OperationInput): Promise<void> {
  // Loaded only here: a stop must not wait for zod.
  const { buildOperations } = await import("../../core/operations/table.ts");
  const { parseInput } = await import("../../core/validation/validation.ts");
  const { ANY_PROJECTION_KEY } = await import("../../core/values/projection.ts");
  const table = buildOperations(ANY_PROJECTION_KEY, Number.POSITIVE_INFINITY);
  try {
    parseInput(table[operation], input, "reject");
  } catch (error) {
    if (error instanceof AdminError) throw new UsageError(`${error.message}; nothing was sent`);
    throw error;
  }
}

async function textIn(file: string): Promise<string> {
  if (file === "-") return (await import("node:stream/consumers")).text(process.stdin);
  return textOfFile(file, "--input: the file cannot be read");
}

function jsonOf(what: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    JSON.stringify(value); // exhausts the stack where sending it would; parsing does not
    return value;
  } catch (cause) {
    if (cause instanceof RangeError) throw new UsageError(`${what}: is nested too deep; nothing was sent`, { cause });
    throw new UsageError(`${what}: invalid JSON: ${(cause as Error).message}; nothing was sent`, { cause });
  }
}
