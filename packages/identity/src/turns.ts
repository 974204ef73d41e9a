/** Who comes with the same subject takes turns, within this process. */

/** So many are looked at side by side; an address under attack has two guesses, so two never refuse each other. */
const atOnceMax = 2
/** More do not wait: a crowd of this size is no person with many devices. */
const waitingMax = 200

interface Line {
  active: number
  readonly waiting: (() => void)[]
}
const lines = new Map<string, Line>()

/**
 * Waits for a turn with this subject, in the order of asking.
 *
 * @returns what ends the turn and must be called once; null when too many wait already
 */
export async function takeTurn(subject: string): Promise<(() => void) | null> {
  const line = lines.get(subject) ?? { active: 0, waiting: [] }
  lines.set(subject, line)
  if (line.active < atOnceMax) {
    line.active++
    return () => end(subject, line)
  }
  if (line.waiting.length >= waitingMax) return null
  const { promise, resolve } = Promise.withResolvers<void>()
  line.waiting.push(resolve)
  await promise
  return () => end(subject, line)
}

/** The turn goes on to whoever waits longest. */
function end(subject: string, line: Line): void {
  const next = line.waiting.shift()
  if (next) return next()
  line.active--
  if (line.active === 0) lines.delete(subject)
}
