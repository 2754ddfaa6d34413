import { expect, it } from "vitest";
import { ALL_SITES, SITES } from "../storm/flood.ts";
import { FLOODS } from "../storm/floods.ts";
import { readText } from "./bus-files.ts";

it("docs/understand/performance.md counts the floods and trials of FLOODS=all", () => {
  const sitesOf = FLOODS.map(({ sites = SITES }) => ALL_SITES.filter((site) => sites.includes(site)));
  const trials = sitesOf.flat().length;
  const everywhere = sitesOf.filter((sites) => SITES.every((site) => sites.includes(site))).length;
  const page = readText("docs/understand/performance.md").replaceAll("\n", " ");
  expect(page).toContain(`tries ${FLOODS.length} floods`);
  expect(page).toContain(`in ${trials} trials. ${everywhere} of them reach every site`);
});
