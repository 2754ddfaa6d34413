import { parse } from "yaml";
import { faultsIn } from "../../core/validation/conformity.ts";
import type { EngineConformanceOptions, EngineLandmarks } from "../../testing/conformance/engine-fixture.ts";
import { knownEngine } from "../../testing/conformance/known-engine.ts";
import { UsageError } from "../exit-codes.ts";
import { textOfFile } from "../process.ts";

/** Landmarks of the engine under test, read from a file. */
export interface KnownEngine {
  readonly landmarks: EngineLandmarks;
  readonly operations: EngineConformanceOptions["operations"];
}

/** Reads a file of landmarks, YAML or JSON; nothing is known without one. */
export function readLandmarks(file: string | undefined): KnownEngine {
  if (file === undefined) return { landmarks: {}, operations: undefined };
  const read = knownEngine.safeParse(valueIn(file) ?? {});
  if (!read.success) {
    throw new UsageError([`--landmarks: ${file} is not a file of landmarks`, ...faultsIn(read.error, "the file")]);
  }
  const { operations, ...landmarks } = read.data;
  return { landmarks, operations };
}

function valueIn(file: string): unknown {
  const text = textOfFile(file, "--landmarks: the file cannot be read");
  try {
    return parse(text);
  } catch (error) {
    const [problem] = (error as Error).message.split("\n", 1);
    throw new UsageError(`--landmarks: ${file} is neither YAML nor JSON: ${problem}`);
  }
}
