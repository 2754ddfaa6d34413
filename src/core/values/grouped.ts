/** A whole number with commas between thousands: `1,024`. `toLocaleString` would load the tables of all languages for that. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
