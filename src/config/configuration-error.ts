import { FaultsError } from "../core/values/basics.ts";
import { type FileOrigin, type Origin, originText } from "./property.ts";

export interface Problem {
  readonly origin: Origin;
  /** The place and what is wrong there, on one line. */
  readonly message: string;
}

/** A problem with a setting; in a file the line says where, as one key stands on it. */
export function settingProblem(origin: Origin, reason: string): Problem {
  return { origin, message: `${originText(origin)}: ${reason}` };
}

/** A problem with the syntax of a file, which needs the column too. */
export function syntaxProblem(origin: FileOrigin, reason: string): Problem {
  return { origin, message: `${origin.file}:${origin.line}:${origin.column}: ${reason}` };
}

const SOURCES: readonly Origin["source"][] = ["command line", "environment", "config tree", "file"];

/**
 * The configuration cannot be used, so nothing may start with it. `message` has one line for each problem: those of the
 * command line, of the environment, of config trees, and then of the file in its order:
 * `application.yaml:12: unknown key "server.prot"; did you mean "server.port"?`.
 */
export class ConfigurationError extends FaultsError {
  override readonly name = "ConfigurationError";

  /** One error that lists all problems, each once. */
  static of(problems: readonly Problem[]): ConfigurationError {
    const sorted = problems.toSorted(({ origin: a }, { origin: b }) => compareOrigins(a, b));
    return new ConfigurationError([...new Set(sorted.map(({ message }) => message))]);
  }
}

function compareOrigins(a: Origin, b: Origin): number {
  if (a.source === "file" && b.source === "file") return a.line - b.line || a.column - b.column;
  return SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source);
}
