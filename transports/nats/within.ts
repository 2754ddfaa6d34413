/** Waits for something, but not longer than so many milliseconds. */
export async function within(ms: number, waiting: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([waiting, impatience]);
  clearTimeout(timer);
}
