import { inject } from "vitest";
import { EngineClock } from "../../transports/link/engine-clock.ts";
import { type NatsBus, NatsTransport, openNatsBus } from "../../transports/nats.ts";
import type { Wire, WireOptions } from "./wires.ts";

let prefixes = 0;

/** Subjects of its own on the NATS server that the suites share. */
export async function open({ limits, clock }: WireOptions): Promise<Wire> {
  const url = inject("natsUrl");
  prefixes += 1;
  const subjectPrefix = `suite-${process.pid}-${prefixes}`;
  const transport = new NatsTransport({ servers: url, subjectPrefix, engineClock: new EngineClock(() => {}, clock) });
  let bus: NatsBus | undefined;
  const leave = async (): Promise<void> => {
    await bus?.close();
    bus = undefined;
  };
  return {
    transport,
    attach: async (handler) => {
      bus = await openNatsBus({ servers: url, subjectPrefix, closeTimeoutMs: 0, clock, ...limits });
      await bus.listen(handler);
    },
    detach: leave,
    close: async () => {
      await transport.close();
      await leave();
    },
  };
}
