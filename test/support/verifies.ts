import { it } from "vitest";
import { type RequirementId, requirements } from "../requirements/requirements.ts";
import { EVERYTHING } from "./extent.ts";
import { HTTP_MOUNTS, type HttpMount } from "./mounts.ts";
import type { SuiteTransport } from "./suite-rig.ts";
import { type HttpWorld, httpWorld, WAYS, type Way, type World, type WorldOptions } from "./world.ts";

/** Transports that the requirements of this project run over, as `vitest.config.ts` says; in process where nothing does. */
export const TRANSPORTS = (process.env.SUITE_TRANSPORTS ?? "in-process").split(" ") as readonly SuiteTransport[];

/**
 * Ways that prove what is not about HTTP: a mount cannot tell a transport, and `same-answers` proves that all mounts answer alike. So
 * direct calls show all that a wire can break, and one mount what HTTP adds.
 */
function waysOver(transport: SuiteTransport): readonly Way[] {
  if (EVERYTHING) return WAYS;
  return WAYS.slice(0, transport === "in-process" ? 2 : 1);
}

/** Proves a requirement: one test for each transport and way. */
export function verifies(id: RequirementId, prove: (world: World) => Promise<void>, options?: WorldOptions): void {
  for (const transport of TRANSPORTS) {
    for (const { name, open } of waysOver(transport)) {
      addTest(id, titleOf(name, transport), () => open({ ...options, transport }), prove);
    }
  }
}

/** Proves a requirement that is about HTTP itself, over every HTTP mount; over a wire over one. */
export function verifiesHttp(
  id: RequirementId,
  prove: (world: HttpWorld) => Promise<void>,
  options?: WorldOptions,
): void {
  for (const transport of TRANSPORTS) {
    for (const mount of mountsOver(transport)) {
      addTest(id, titleOf(mount.name, transport), () => httpWorld(mount, { ...options, transport }), prove);
    }
  }
}

/** Mounts that prove what is about HTTP. */
export function mountsOver(transport: SuiteTransport): readonly HttpMount[] {
  return EVERYTHING || transport === "in-process" ? HTTP_MOUNTS : HTTP_MOUNTS.slice(0, 1);
}

/** The way of a test in its title. */
export function titleOf(way: string, transport: SuiteTransport): string {
  return transport === "in-process" ? way : `${way}, ${transport}`;
}

function addTest<W extends World>(
  id: RequirementId,
  way: string,
  open: () => Promise<W>,
  prove: (world: W) => Promise<void>,
): void {
  it(`${id} [${way}] ${requirements[id].behavior}`, async () => {
    const world = await open();
    try {
      await prove(world);
    } finally {
      await world.close();
    }
  });
}
