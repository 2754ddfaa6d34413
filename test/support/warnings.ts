import { WARNING } from "../../src/core/logger.ts";

/** Runs something and returns the warnings of this package that came meanwhile, as Node.js prints them: message, then details. */
export async function warningsDuring(run: () => unknown): Promise<string[]> {
  const warnings: string[] = [];
  const listen = ({ name, message, detail }: Error & { detail?: string }): void => {
    if (name === WARNING) warnings.push(`${message}\n${detail ?? ""}`);
  };
  process.on("warning", listen);
  try {
    await run();
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    return warnings;
  } finally {
    process.off("warning", listen);
  }
}
