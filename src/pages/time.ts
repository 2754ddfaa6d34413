/** A time of day as audit records have it, `09:31:07 UTC`. */
export function utc(ms: number): string {
  const date = new Date(ms);
  // An engine may send milliseconds that are not a valid date.
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(11, 19)} UTC`;
}

/** When something began: the time of day, with the date unless it is of today. */
export function since(ms: number): string {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return day(ms) === day(Date.now()) ? utc(ms) : `${day(ms)} ${utc(ms)}`;
}

/** How long something takes, in words of a glance. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

/** How long ago something was. */
export function ago(ms: number): string {
  return `${lasting(ms)} ago`;
}
