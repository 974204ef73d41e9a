/** Whether the server can be asked at all, by the smallest thing that it gives to everybody. */

const patienceMs = 5000

/** True when the server answers, whatever has become of the page's parts or of the session. Never throws. */
export async function serverAnswers(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    return (await fetch('/config.json', { cache: 'no-store', signal })).ok
  } catch {
    return false
  }
}
