// Loaded before the gateway: collects garbage when it is asked, and says what is still held. What the system counts as resident
// stays high for long after memory was given back within the process. Needs no descriptor, which a flood may have used up.
import { getHeapStatistics } from "node:v8";

process.on("message", () => {
  globalThis.gc();
  const { used_heap_size, external_memory } = getHeapStatistics();
  process.send({ heldMb: Math.round((used_heap_size + external_memory) / 2 ** 20) });
});
