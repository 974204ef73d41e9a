/** Describes what a scan did not run or did not report, and why. */
import type { CheckPermission, Observation } from '@glacis/contract/runner'

const skippedReasons: Readonly<Record<CheckPermission, string>> = {
  logins: 'would log in',
  writes: 'would write to the target',
  crashes: 'might crash a service',
}
const doubtedMax = 20

/** One line per missing permission, such as "12 checks not run: they would log in", and per withheld match. */
export function coverageNotes(observations: readonly Observation[], listsChecks = false): string[] {
  const skipped = observations.filter((item) => item.kind === 'skipped')
  const notRun = [...Map.groupBy(skipped, ({ permission }) => permission)].map(([permission, items]) => {
    const checks = [...new Set(items.flatMap((item) => item.checks))].toSorted()
    const count = checks.length
    const subject = count === 1 ? '1 check not run: it' : `${count} checks not run: they`
    return `${subject} ${skippedReasons[permission]}${listsChecks ? ` (${checks.join(', ')})` : ''}`
  })
  const doubted = observations.filter((item) => item.kind === 'doubted')
  const withheld = doubted
    .slice(0, doubtedMax)
    .map(({ address, check, location, reason }) => `${address}: match of ${check} at ${location} withheld: ${reason}`)
  const more = doubted.length - doubtedMax
  return [...notRun, ...withheld, ...(more > 0 ? [`${more} more ${more === 1 ? 'match' : 'matches'} withheld`] : [])]
}
