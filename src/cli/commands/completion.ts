import type { CommandDefinition } from "../command/definition.ts";

const shell = (name: string, line: string): CommandDefinition => ({
  name,
  summary: `The script for ${name}`,
  examples: [{ line, does: "completes commands, options, and the names of gateways, sessions and services" }],
  load: () => import("../completion/scripts.ts"),
});

/** Completion of the shells. */
export const COMPLETION: CommandDefinition = {
  name: "completion",
  summary: "Completion for bash, zsh and fish",
  description:
    "Prints a script for the shell. Names of gateways, sessions and services come from the live installation, with the profile, " +
    "the variables and the options that are typed; a password is never asked for.",
  commands: [
    shell("bash", 'eval "$(trading-admin completion bash)"'),
    shell("zsh", "source <(trading-admin completion zsh)"),
    shell("fish", "trading-admin completion fish | source"),
    {
      name: "candidates",
      summary: "What may stand at the end of a command line; the scripts call it",
      arguments: [{ name: "words", description: "The words behind trading-admin, behind --.", variadic: true }],
      examples: [
        { line: "trading-admin completion candidates -- fix ''", does: "word and description, a line for each" },
      ],
      load: () => import("../completion/candidates.ts"),
    },
  ],
};
