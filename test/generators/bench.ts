import type { BusMethod } from "../../src/core/operations/table.ts";
import { HTTP_MOUNTS } from "../support/mounts.ts";
import { type HttpWorld, httpWorld } from "../support/world.ts";
import type { Ability, GeneratedClient, Generator } from "./generator.ts";
import { openWorkshop, type Workshop } from "./workshop.ts";

/** A live server, and a client that was generated and compiled to call it. */
export interface Bench {
  readonly generator: Generator;
  readonly world: HttpWorld;
  readonly workshop: Workshop;
  /** The client, with the credentials of `chief`. */
  readonly client: GeneratedClient;
  connect(user: string, password?: string, baseUrl?: string): GeneratedClient;
  /** What the engine was asked last. */
  lastRequest(): { readonly method: BusMethod; readonly input: unknown } | undefined;
  close(): Promise<void>;
}

/** Something that holds for the client of each generator. */
export interface Case {
  readonly proves: string;
  /** What it proves of generators that cannot do that. */
  readonly unable?: { readonly to: Ability; readonly proves: string };
  run(bench: Bench): Promise<void>;
}

/** What a case proves of a generator. */
export function titleOf({ proves, unable }: Case, { limits }: Generator): string {
  return unable && limits[unable.to] ? unable.proves : proves;
}

export async function openBench(generator: Generator): Promise<Bench> {
  const [mount] = HTTP_MOUNTS;
  if (!mount) throw new Error("there is no way to serve the API");
  const world = await httpWorld(mount);
  try {
    return benchOf(generator, world, await openWorkshop(generator, world.url));
  } catch (error) {
    await world.close();
    throw error;
  }
}

function benchOf(generator: Generator, world: HttpWorld, workshop: Workshop): Bench {
  return {
    generator,
    world,
    workshop,
    get client() {
      return this.connect("chief");
    },
    connect: (user, password = `password of ${user}`, baseUrl = world.url) =>
      workshop.connect({ user, password, baseUrl }),
    lastRequest() {
      const last = world.gate.seen.at(-1);
      return last && { method: last.method, input: last.input };
    },
    async close() {
      workshop.close();
      await world.close();
    },
  };
}
