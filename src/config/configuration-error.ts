import type { Origin } from "./property.ts";

/** One thing that is wrong with the configuration. */
export interface Problem {
  readonly origin: Origin;
  /** The place and what is wrong there, on one line. */
  readonly message: string;
}

/** A problem with a setting; the line says where, as one key stands on it. */
export function settingProblem(origin: Origin, reason: string): Problem {
  return { origin, message: `${origin.file}:${origin.line}: ${reason}` };
}

/** A problem with the syntax of a file, which needs the column too. */
export function syntaxProblem(origin: Origin, reason: string): Problem {
  return { origin, message: `${origin.file}:${origin.line}:${origin.column}: ${reason}` };
}

/**
 * The configuration cannot be used, so nothing may start with it. `message` has one line for each problem, in the order of
 * the file: `application.yaml:12: unknown key "server.prot"; did you mean "server.port"?`.
 */
export class ConfigurationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConfigurationError";
  }

  /** One error that lists all problems of a file. */
  static of(problems: readonly Problem[]): ConfigurationError {
    const sorted = problems.toSorted(({ origin: a }, { origin: b }) => a.line - b.line || a.column - b.column);
    return new ConfigurationError(sorted.map(({ message }) => message).join("\n"));
  }
}
