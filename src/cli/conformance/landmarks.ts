import { parse } from "yaml";
import { z } from "zod";
import { operationNames } from "../../core/operations/table.ts";
import { parseProjection, parseProjectionPath } from "../../core/values/projection.ts";
import type { EngineConformanceOptions, EngineLandmarks } from "../../testing/conformance/engine-fixture.ts";
import { UsageError } from "../exit-codes.ts";
import { textOfFile } from "../process.ts";

/** Landmarks of the engine under test, read from a file. */
export interface KnownEngine {
  readonly landmarks: EngineLandmarks;
  readonly operations: EngineConformanceOptions["operations"];
}

const name = z.string().min(1);
const path = z.string().refine(...parsedBy(parseProjectionPath));
const projection = z.string().refine(...parsedBy(parseProjection));
const session = z.strictObject({ gateway: name, session: name });

const knownEngine = z.strictObject({
  operations: z.array(z.enum(operationNames)).min(1).optional(),
  haltPath: path.optional(),
  oddHaltPath: path.optional(),
  riskTable: z
    .strictObject({
      projection,
      limits: z.array(name).optional(),
      rows: z.array(z.record(z.string(), z.string())).optional(),
    })
    .optional(),
  unconfiguredProjection: projection.optional(),
  positions: z
    .strictObject({
      projection,
      paths: z.array(path).optional(),
      foreignFilter: z.enum(["source", "account", "exchange", "traderId", "portfolioKey"]).optional(),
    })
    .optional(),
  connector: name.optional(),
  algorithm: name.optional(),
  sessions: z.strictObject({ disabled: z.array(session).optional(), disconnected: session.optional() }).optional(),
});

/** A check that parses a text, and says what is wrong with it. */
function parsedBy(
  parser: (text: string) => unknown,
): [(text: string) => boolean, { error: (issue: { input?: unknown }) => string }] {
  const faultIn = (text: string): string | undefined => {
    try {
      parser(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return [(text) => faultIn(text) === undefined, { error: ({ input }) => faultIn(String(input)) ?? "is not valid" }];
}

/** Reads a file of landmarks, YAML or JSON; nothing is known without one. */
export function readLandmarks(file: string | undefined): KnownEngine {
  if (file === undefined) return { landmarks: {}, operations: undefined };
  const read = knownEngine.safeParse(valueIn(file) ?? {});
  if (!read.success) {
    const faults = read.error.issues.map((issue) => `${issue.path.join(".") || "the file"}: ${issue.message}`);
    throw new UsageError([`--landmarks: ${file} is not a file of landmarks`, ...faults]);
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
