/** Describes what a scan did not run or did not report, and why. */
import type { CheckPermission, Observation } from '@glacis/contract/runner'

const permissionTexts: Readonly<Record<CheckPermission, string>> = {
  logins: 'log in',
  writes: 'write to the target',
  crashes: 'risk crashing a service',
}
const doubtedMax = 20

/** One line per missing permission, such as "12 checks need permission to log in and were not run", and per withheld match. */
export function coverageNotes(observations: readonly Observation[], listsChecks = false): string[] {
  const skipped = observations.filter((item) => item.kind === 'skipped')
  const notRun = [...Map.groupBy(skipped, ({ permission }) => permission)].map(([permission, items]) => {
    const checks = [...new Set(items.flatMap((item) => item.checks))].toSorted()
    const count = checks.length
    const list = listsChecks ? ` (${checks.join(', ')})` : ''
    return count === 1
      ? `1 check needs permission to ${permissionTexts[permission]} and was not run${list}`
      : `${count} checks need permission to ${permissionTexts[permission]} and were not run${list}`
  })
  const doubted = observations.filter((item) => item.kind === 'doubted')
  const withheld = doubted
    .slice(0, doubtedMax)
    .map(({ address, check, location, reason }) => `${address}: match of ${check} at ${location} withheld: ${reason}`)
  const more = doubted.length - doubtedMax
  return [...notRun, ...withheld, ...(more > 0 ? [`${more} more ${more === 1 ? 'match' : 'matches'} withheld`] : [])]
}
