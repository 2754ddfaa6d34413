import { it } from "vitest";
import { type RequirementId, requirements } from "../requirements/requirements.ts";
import { HTTP_MOUNTS } from "./mounts.ts";
import { type HttpWorld, httpWorld, WAYS, type World, type WorldOptions } from "./world.ts";

/** Direct calls alone, where a mutant is looked for thousands of times: what the other ways add is outside `src/core`. */
const DIRECT_ONLY = process.env.DIRECT_ONLY === "true";

/** Proves a requirement over direct calls, every HTTP mount and the typed client: one test each. */
export function verifies(id: RequirementId, prove: (world: World) => Promise<void>, options?: WorldOptions): void {
  for (const way of WAYS) addTest(id, way.name, () => way.open(options), prove);
}

/** Proves a requirement that is about HTTP itself, over every HTTP mount. */
export function verifiesHttp(
  id: RequirementId,
  prove: (world: HttpWorld) => Promise<void>,
  options?: WorldOptions,
): void {
  for (const mount of HTTP_MOUNTS) addTest(id, mount.name, () => httpWorld(mount, options), prove);
}

function addTest<W extends World>(
  id: RequirementId,
  way: string,
  open: () => Promise<W>,
  prove: (world: W) => Promise<void>,
): void {
  it.skipIf(DIRECT_ONLY && way !== "direct")(`${id} [${way}] ${requirements[id].behavior}`, async () => {
    const world = await open();
    try {
      await prove(world);
    } finally {
      await world.close();
    }
  });
}
