import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Ends when no transition is in progress: halfway between two colours, contrast is as it may be. */
const SETTLED = `Promise.allSettled(
  document.getAnimations().flatMap((one) => (one instanceof CSSTransition ? [one.finished] : [])),
)`;

/** What axe finds wrong with the page as it is now, or with the part that a selector names: rules, with the elements. */
export async function violations(page: Page, part = "html"): Promise<string[]> {
  await page.evaluate(AXE);
  await page.evaluate(SETTLED);
  const found = (await page.evaluate(`axe.run(${JSON.stringify(part)})`)) as AxeResults;
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}
