import { TransportBench } from "./transport-bench.ts";
import type { TransportConformanceOptions, TransportFixture } from "./transport-fixture.ts";

/** Opens fixtures for a case, one after the other. */
export type OpenBench = () => Promise<TransportBench>;

/** A case of the kit for transports. */
export interface TransportCase {
  readonly name: string;
  run(open: OpenBench): Promise<void>;
}

/** A case over a link that works. */
export function onLink(name: string, check: (bench: TransportBench) => Promise<void>): TransportCase {
  return {
    name,
    run: (open) =>
      onBench(open, async (bench) => {
        await bench.start();
        await check(bench);
      }),
  };
}

/** Opens a bench that is not started, and closes it whatever happens. */
export async function onBench(open: OpenBench, check: (bench: TransportBench) => Promise<void>): Promise<void> {
  const bench = await open();
  try {
    await check(bench);
  } catch (error) {
    // What the case found counts, not that a broken transport could not be closed either.
    await bench.close().catch(() => {});
    throw error;
  }
  await bench.close();
}

/** Opens benches over a user's fixtures. */
export function benches(open: () => Promise<TransportFixture>, options: TransportConformanceOptions): OpenBench {
  return async () => new TransportBench(await open(), options);
}
