import { inject } from "vitest";
import type { InProcessBusOptions } from "../../transports/in-process.ts";
import { type NatsBus, NatsTransport, openNatsBus } from "../../transports/nats.ts";
import type { Wire } from "./wires.ts";

let prefixes = 0;

/** Subjects of its own on the NATS server that the suites share. */
export async function open({ capacity, stopReserve }: InProcessBusOptions): Promise<Wire> {
  const url = inject("natsUrl");
  prefixes += 1;
  const subjectPrefix = `suite-${process.pid}-${prefixes}`;
  const limits = {
    ...(capacity !== undefined && { maxInFlight: capacity }),
    ...(stopReserve !== undefined && { stopReserve }),
  };
  const transport = new NatsTransport({ servers: url, subjectPrefix });
  let bus: NatsBus | undefined;
  const leave = async (): Promise<void> => {
    await bus?.close();
    bus = undefined;
  };
  return {
    transport,
    attach: async (handler) => {
      bus = await openNatsBus({ servers: url, subjectPrefix, closeTimeoutMs: 0, ...limits });
      await bus.listen(handler);
    },
    detach: leave,
    close: async () => {
      await transport.close();
      await leave();
    },
  };
}
