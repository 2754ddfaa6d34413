/** How many times the larger of two decimals is the smaller, as far as a double tells; infinite where one of them is zero. */
export function factorOf(a: string, b: string): number {
  const [first, second] = [Math.abs(Number(a)), Math.abs(Number(b))];
  if (first === second) return 1;
  return Math.max(first, second) / Math.min(first, second);
}
