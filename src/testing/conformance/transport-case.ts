import { cleaningUp } from "./engine-client.ts";
import { WaitLimit } from "./time-limit.ts";
import { TransportBench, type TransportConformanceOptions, type TransportFixture } from "./transport-bench.ts";

const DEFAULT_TIMEOUT_MS = 15_000;

/** Opens fixtures for a case, one after the other. */
export interface Benches {
  readonly timeLimit: WaitLimit;
  open(): Promise<TransportBench>;
}

export interface TransportCase {
  readonly name: string;
  run(benches: Benches): Promise<void>;
}

/** A case over a link that works. */
export function onLink(name: string, check: (bench: TransportBench) => Promise<void>): TransportCase {
  return {
    name,
    run: (benches) =>
      onBench(benches, async (bench) => {
        await bench.start();
        await check(bench);
      }),
  };
}

/** Opens a bench that is not started, and closes it whatever happens. */
export async function onBench(benches: Benches, check: (bench: TransportBench) => Promise<void>): Promise<void> {
  const bench = await benches.open();
  await cleaningUp(
    () => check(bench),
    () => bench.close(),
  );
}

export function benchesOf(open: () => Promise<TransportFixture>, options: TransportConformanceOptions): Benches {
  const timeLimit = new WaitLimit(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const repliesSurviveLoss = options.repliesSurviveLoss ?? false;
  return { timeLimit, open: async () => new TransportBench(await open(), { timeLimit, repliesSurviveLoss }) };
}
