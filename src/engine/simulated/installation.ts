import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { requireArgument, textLike } from "../../core/options.ts";
import { FaultsError } from "../../core/values/basics.ts";
import { type InstallationFault, installationFaults } from "./installation-rules.ts";
import { type Installation, installationSchema } from "./installation-schema.ts";
import { readYaml, unknownKey, type YamlDocument } from "./yaml-document.ts";

export type { Installation } from "./installation-schema.ts";

/** An installation document cannot be used; the message has a line `file:line: path: reason` for each fault. */
export class InstallationError extends FaultsError {
  override readonly name = "InstallationError";
}

/**
 * Parses and checks an installation document; `file` is the name that messages use.
 * Throws {@link InstallationError} that names every fault: first those of the YAML syntax, then those of the single
 * parts, then those between the parts.
 */
export function parseInstallation(yamlText: string, file: string): Installation {
  requireArgument("parseInstallation", "yamlText", yamlText, textLike('await readFile("installation.yaml", "utf8")'));
  const document = readYaml(yamlText);
  if (document.errors.length > 0) {
    throw new InstallationError(document.errors.map(({ line, message }) => `${file}:${line}: ${message}`));
  }
  const result = installationSchema.safeParse(document.content ?? {}, { reportInput: true });
  if (!result.success) throw installationError(result.error.issues.flatMap(faultsOf), document, file);
  const faults = installationFaults(result.data);
  if (faults.length > 0) throw installationError(faults, document, file);
  return result.data;
}

/**
 * Reads an installation document from a file; throws {@link InstallationError} when it cannot be read or used.
 *
 * @example
 * const engine = new SimulatedEngine(await loadInstallation("installation.yaml"));
 */
export async function loadInstallation(path: string): Promise<Installation> {
  requireArgument("loadInstallation", "path", path, textLike('"installation.yaml"'));
  const yamlText = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new InstallationError([`${path}: cannot be read: ${cause instanceof Error ? cause.message : cause}`], {
      cause,
    });
  });
  return parseInstallation(yamlText, path);
}

function installationError(
  faults: readonly InstallationFault[],
  document: YamlDocument,
  file: string,
): InstallationError {
  const placed = faults.map((fault) => ({ ...fault, line: document.lineOf(fault.path) }));
  placed.sort((a, b) => a.line - b.line);
  return new InstallationError(placed.map(({ path, line, reason }) => `${file}:${line}: ${pathText(path)}: ${reason}`));
}

function faultsOf(issue: z.core.$ZodIssue): InstallationFault[] {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], reason: unknownKey(installationSchema, path, key) }));
  }
  if (issue.code === "invalid_key") return [{ path, reason: issue.issues[0]?.message ?? issue.message }];
  return [{ path, reason: issue.code !== "custom" && issue.input === undefined ? "is required" : issueText(issue) }];
}

const FORMS: Readonly<Record<string, string>> = { object: "a map", record: "a map", array: "a list" };

function issueText(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") return FORMS[issue.expected] ? `must be ${FORMS[issue.expected]}` : issue.message;
  if (issue.code !== "invalid_union") return issue.message;
  return issue.errors.at(-1)?.[0]?.message ?? issue.message;
}

/** A path as `risk.tables["Account/Symbol"].rows[0]`; the document itself is `(document)`. */
function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[\w-]+$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join("").replace(/^\./, "") || "(document)";
}
