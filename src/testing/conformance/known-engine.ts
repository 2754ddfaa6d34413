import { z } from "zod";
import { operationNames } from "../../core/operations/table.ts";
import { parseProjection, parseProjectionPath } from "../../core/values/projection.ts";

const name = z.string().min(1);
const path = z.string().refine(...parsedBy(parseProjectionPath));
const projection = z.string().refine(...parsedBy(parseProjection));
const session = z.strictObject({ gateway: name, session: name });

/** Landmarks of an engine under test, and the operations that it has: a misspelt one would leave out cases that nobody misses. */
export const knownEngine = z.strictObject({
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
