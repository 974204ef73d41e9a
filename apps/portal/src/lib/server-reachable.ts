/** Checks whether the server is reachable, with its smallest public resource. */

const timeoutMs = 5000

/** True if the server responds at all, even if page chunks are missing or the session has ended. Never throws. */
export async function isServerReachable(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    return (await fetch('/config.json', { cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}
