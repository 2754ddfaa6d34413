import type { OptionDefinition } from "../command/definition.ts";

/** The option of commands that read again and again. */
export const INTERVAL_OPTION: OptionDefinition = {
  flags: "--interval <duration>",
  description: "time between two readings, at least 200ms; 1s unless given",
};
