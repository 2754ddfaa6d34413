import { ConfigurationError } from "../../src/config/configuration-error.ts";
import { parseSettings } from "../../src/config/load.ts";

/** The lines of the error that a text is refused with; fails when it is accepted. */
export function problemsOf(text: string): string[] {
  try {
    parseSettings(text, "application.yaml");
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split("\n");
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}
