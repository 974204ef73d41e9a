import { createContext, Script } from 'node:vm'

const script = new Script('run()')

/** The error belongs to the other context, so it is no instance of this one's `Error`. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}

/**
 * Runs synchronous work on untrusted input and interrupts it after `maxMs`. Unlike a promise with a
 * timeout, this also ends a loop that never yields. The work must not change anything that outlives
 * it.
 *
 * @returns null if the work was interrupted
 * @throws what the work throws
 */
export function withTimeLimit<T>(maxMs: number, work: () => T): T | null {
  try {
    return script.runInContext(createContext({ run: work }), { timeout: maxMs }) as T // the value of `run()`
  } catch (error) {
    if (isTimeout(error)) return null
    throw error
  }
}
