/** Runs something and returns what was thrown meanwhile where nothing catches it. */
export async function uncaughtDuring(run: () => Promise<unknown>): Promise<unknown[]> {
  const thrown: unknown[] = [];
  const before = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => thrown.push(error));
  try {
    await run();
    await new Promise((resolve) => setImmediate(resolve));
    return thrown;
  } finally {
    process.removeAllListeners("uncaughtException");
    for (const listener of before) process.on("uncaughtException", listener);
  }
}
