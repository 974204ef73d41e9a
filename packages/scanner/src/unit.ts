/**
 * Units of work: the evaluation of one check on one host. Each has a budget for everything that it reads from the host,
 * so that neither a page nor a pack can stall a scan.
 */

/** Remaining budget of one check on one host. */
export interface Unit {
  readonly address: string
  readonly check: string
  /** Steps of about ten nanoseconds each. */
  stepsLeft: number
  /** Bytes that its extractors may still produce. */
  bytesLeft: number
  requestsLeft: number
  /** Why it stopped; null while it may run. */
  stopReason: string | null
}

/** Units of one host, created on first use. */
export interface Units {
  of(check: string): Unit
}

/** A pair that an earlier attempt at the same scan had to abandon. */
export interface StoppedPair {
  readonly address: string
  readonly check: string
  readonly reason: string
}

/**
 * Thrown when a budget is spent. The check is neither a finding nor completed, so it resolves
 * nothing.
 */
export class Stopped extends Error {}

export const tooManyRequests = 'the check multiplies into too many requests for one host'
/** @param count number of credentials that were tried */
export const tooManyLogins = (count: number) => `only ${count} logins are tried, because attempts can lock accounts`

const stepsMax = 200_000_000
const bytesMax = 1024 * 1024
/** Name of the unit for everything that identifies software. */
export const identification = 'software identification'

/** @param requestsMax requests that each check may send to the host */
export function createUnits(address: string, requestsMax: number, stopped: readonly StoppedPair[] = []): Units {
  const units = new Map<string, Unit>()
  const reasons = new Map(
    stopped.filter((entry) => entry.address === address).map(({ check, reason }) => [check, reason]),
  )
  return {
    of(check) {
      const existing = units.get(check)
      if (existing) return existing
      const stopReason = reasons.get(check) ?? null
      const unit = { address, check, stepsLeft: stepsMax, bytesLeft: bytesMax, requestsLeft: requestsMax, stopReason }
      units.set(check, unit)
      return unit
    },
  }
}

let current: Unit | null = null
/** Budget and name of the running expression. */
let expressionLeft = Infinity
let expressionName = ''
let observer: ((unit: Unit | null) => void) | null = null

/** The watchdog's view: receives each unit before its work starts, and null or the outer unit after it. */
export function observeUnits(observe: (unit: Unit | null) => void): void {
  observer = observe
}

/**
 * Runs synchronous work at the cost of a unit.
 *
 * @throws Stopped when the unit's budget is spent, now or earlier
 */
export function runUnit<T>(unit: Unit, work: () => T): T {
  if (unit.stopReason !== null) throw new Stopped(unit.stopReason)
  const outer = current
  current = unit
  observer?.(unit)
  try {
    return work()
  } catch (error) {
    if (error instanceof Stopped) unit.stopReason ??= error.message
    throw error
  } finally {
    current = outer
    observer?.(outer)
  }
}

/**
 * Limits one expression, in addition to the unit that evaluates it.
 *
 * @param name as in "jq expression"
 * @throws Stopped when `stepsLimit` is exceeded
 */
export function withStepLimit<T>(name: string, stepsLimit: number, work: () => T): T {
  const outer = { left: expressionLeft, name: expressionName }
  expressionLeft = stepsLimit
  expressionName = name
  try {
    return work()
  } finally {
    expressionLeft = outer.left
    expressionName = outer.name
  }
}

/** @throws Stopped before the work is done */
export function spend(steps: number): void {
  expressionLeft -= steps
  if (expressionLeft < 0) throw new Stopped(`${expressionName} exceeds its budget`)
  if (current === null) return
  current.stepsLeft -= steps
  if (current.stepsLeft < 0) throw new Stopped('the check exceeds its budget for one host')
}

/** @throws Stopped when the extractors of the running unit have produced too much */
export function spendBytes(bytes: number): void {
  if (current === null) return
  current.bytesLeft -= bytes
  if (current.bytesLeft < 0) throw new Stopped('the check extracts more than 1 MB from one host')
}

/** @throws Stopped when the unit has sent too many requests */
export function spendRequest(unit: Unit): void {
  if (--unit.requestsLeft >= 0) return
  unit.stopReason ??= tooManyRequests
  throw new Stopped(unit.stopReason)
}
