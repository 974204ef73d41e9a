/** What time it is on the server, so that a wrong clock here does not end a session early or late. */

let aheadMs = 0

/** Takes the `Date` header of an answer, where the browser may read it. Its precision is one second. */
export function noteServerTime(date: string | null): void {
  const time = date ? Date.parse(date) : Number.NaN
  if (!Number.isNaN(time) && Math.abs(time - Date.now()) > 2000) aheadMs = time - Date.now()
  else if (!Number.isNaN(time)) aheadMs = 0
}

/** Epoch milliseconds as the server counts them; the local time while nothing better is known. */
export function serverNow(): number {
  return Date.now() + aheadMs
}
