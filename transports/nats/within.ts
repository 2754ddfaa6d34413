/** Waits for something, but not longer than so many milliseconds. */
export async function within(ms: number, waiting: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([waiting, timeout]);
  clearTimeout(timer);
}
