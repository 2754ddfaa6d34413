import { z } from "zod";
import { type ProjectionKeys, ProjectionSyntaxError, parseProjection, parseProjectionPath } from "./projection.ts";

/** Fields that several resources share. */

const TEXT = "must be a string";

/** Free text. */
export const text: z.ZodString = z.string({ error: TEXT });

function syntaxChecked(check: (value: string) => unknown): z.ZodString {
  return text.check((context) => {
    try {
      check(context.value);
    } catch (error) {
      if (!(error instanceof ProjectionSyntaxError)) throw error;
      context.issues.push({ code: "custom", message: error.message, input: context.value });
    }
  });
}

/** A projection path over the given keys; empty is the root, system-wide. */
export function projectionPathField(keys: ProjectionKeys): z.ZodString {
  return syntaxChecked((value) => parseProjectionPath(value, keys)).meta({
    description: `Projection path: \`Key[value]\` segments joined by \`/\`. Empty means system-wide. Keys: ${[...keys].join(", ")}.`,
    examples: ["", "Source[FIXCLIENT1]/Account[GOLD]"],
  });
}

/** A projection over the given keys; empty is the root level. */
export function projectionField(keys: ProjectionKeys): z.ZodString {
  return syntaxChecked((value) => parseProjection(value, keys)).meta({
    description: `Projection: projection keys joined by \`/\`. Empty means the root level. Keys: ${[...keys].join(", ")}.`,
    examples: ["", "Account/Symbol"],
  });
}

/** Reason that is recorded in the audit log. */
export function reasonField(fallback: string): z.ZodDefault<z.ZodString> {
  return text.default(fallback).meta({ description: "Reason, recorded in the audit log." });
}
