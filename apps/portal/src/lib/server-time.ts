/** Estimates the server's clock, so that a wrong local clock doesn't end a session early or late. */

let aheadMs = 0

/** Records the `Date` header of a response, if CORS exposes it. Its precision is one second. */
export function recordServerTime(date: string | null): void {
  const time = date ? Date.parse(date) : Number.NaN
  if (!Number.isNaN(time) && Math.abs(time - Date.now()) > 2000) aheadMs = time - Date.now()
  else if (!Number.isNaN(time)) aheadMs = 0
}

/** Epoch milliseconds by the server's clock; local time until a response has been seen. */
export function serverNow(): number {
  return Date.now() + aheadMs
}
