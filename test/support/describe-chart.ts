import { describe, it } from "vitest";
import { missingHelm } from "./helm.ts";

/** Describes what needs the chart rendered. Where there is no Helm, one test says so instead. */
export async function describeChart(name: string, define: () => void): Promise<void> {
  const reason = await missingHelm();
  if (reason === undefined) describe(name, define);
  else describe(name, () => it(`the chart is not rendered here: ${reason}`, () => {}));
}
