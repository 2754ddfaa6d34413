import { withoutSecrets } from "../../core/urls.ts";
import { documentAt } from "../../files/package-files.ts";
import { engineConformance } from "../../testing/conformance/kits.ts";
import { EXIT, NotConfirmedByUser } from "../exit-codes.ts";
import type { Options, Run } from "../framework/definition.ts";
import { jsonText } from "../output/format.ts";
import { printError, printInfo } from "../terminal/messages.ts";
import { write } from "../terminal/output.ts";
import { ask, canAsk } from "../terminal/prompt.ts";
import { readLandmarks } from "./landmarks.ts";
import { greet, NoEngineError, openLink, transportsTo } from "./link.ts";
import { type CaseVerdict, countsOf, junitText, summaryOf, verdictOf, verdictText } from "./report.ts";

/** `conformance`: runs the kit for engines against an engine in any language, over its bus. */
export const run: Run = async ({ arguments: { url }, options }) => {
  const address = String(url);
  const known = readLandmarks(options.landmarks as string | undefined);
  const make = await transportsTo(address, options);
  const engine = withoutSecrets(address);
  try {
    const link = await openLink(make);
    await greet(link).finally(() => link.close());
  } catch (error) {
    if (!(error instanceof NoEngineError)) throw error;
    printError(error.message);
    return error.exitCode;
  }
  await confirmed(engine, options);
  const { landmarks, operations } = known;
  const cases = engineConformance(() => openLink(make), landmarks, { operations });
  const verdicts: CaseVerdict[] = [];
  for (const one of cases) {
    const verdict = await verdictOf(one);
    verdicts.push(verdict);
    if (options.output === undefined || options.output === "table") write(verdictText(verdict));
  }
  report(verdicts, engine, options);
  return verdicts.some(({ result }) => result === "failed") ? EXIT.failed : EXIT.done;
};

/** The cases halt and resume trading: a person who has mistaken the address can still say no. Pipelines are not asked. */
async function confirmed(engine: string, { yes }: Options): Promise<void> {
  if (yes === true || !canAsk()) return;
  printInfo(
    `The cases halt and resume all trading of the engine at ${engine}, and change limits, positions, services and sessions.`,
  );
  const answer = await ask("Type yes to continue: ");
  if (answer.trim() !== "yes") throw new NotConfirmedByUser('not confirmed: "yes" was not typed');
}

function report(verdicts: readonly CaseVerdict[], engine: string, { output, landmarks }: Options): void {
  const counts = countsOf(verdicts);
  if (output === "json") write(jsonText({ engine, ...counts, cases: verdicts }));
  else if (output === "junit") write(junitText(verdicts, engine, new Date()));
  else write(`\n${summaryOf(counts)}\n`);
  if (landmarks === undefined && counts.notApplicable > 0) {
    printInfo(
      `without --landmarks only what needs no name of the installation is judged; ${documentAt("engine/conformance")} says what to name`,
    );
  }
}
