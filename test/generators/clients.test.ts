import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, openBench, titleOf } from "./bench.ts";
import { ADDRESSES } from "./cases/addresses.ts";
import { COMPILING } from "./cases/compiling.ts";
import { REFUSALS } from "./cases/refusals.ts";
import { VALUES } from "./cases/values.ts";
import { GENERATORS } from "./generators.ts";

const CASES = [...COMPILING, ...VALUES, ...REFUSALS, ...ADDRESSES];

it("D-PKG 7: there are four generators of clients, independent of each other", () => {
  const generators = new Set(GENERATORS.map(({ packages: [generator] }) => generator));
  expect([...generators]).toEqual(["openapi-typescript", "@hey-api/openapi-ts", "orval", "swagger-typescript-api"]);
});

for (const generator of GENERATORS) {
  describe(`D-PKG 7: the client that ${generator.name} makes`, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(generator);
    });
    afterAll(() => bench?.close());

    for (const tested of CASES) it(titleOf(tested, generator), () => tested.run(bench));
  });
}
