import { describe, it } from "vitest";
import type { EngineHandler } from "../../src/engine/serve.ts";
import type { TransportFixture } from "../../src/testing/conformance/transport-fixture.ts";
import { transportConformance } from "../../src/testing/conformance/transport-kit.ts";
import { InProcessBus } from "../../transports/in-process.ts";

/** Both ends are one object; a broken link is an engine that is detached. */
async function open(): Promise<TransportFixture> {
  const transport = new InProcessBus();
  let handler: EngineHandler | undefined;
  let broken = false;
  return {
    transport,
    bus: {
      listen: (given) => {
        handler = given;
        if (!broken) transport.listen(given);
      },
    },
    cutLink: async () => {
      broken = true;
      transport.detach();
    },
    restoreLink: async () => {
      broken = false;
      if (handler) transport.listen(handler);
    },
    close: () => transport.close(),
  };
}

describe("issue 3, item 5: the in-process bus passes the conformance kit for transports", () => {
  for (const { name, run } of transportConformance(open)) it(name, run, 60_000);
});
