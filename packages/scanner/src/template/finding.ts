/** What a match of an HTTP check is told as. */
import { httpEvidence } from '#template/evidence.ts'
import type { Exchange } from '#template/redirects.ts'
import type { Match } from '#template/matcher.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import type { Template } from '#template/template.ts'

/** A delay that was confirmed twice proves more than a status, and less than what an answer says. */
const TIMED_QUALITY = 80

/** Whether a finding of this severity is held back until the host is known to be no decoy. */
export function isSerious(severity: string): boolean {
  return severity === 'critical' || severity === 'high'
}

/** The finding of a match, at the path of the answer that matched. */
export function found({ target }: ServiceRun, exchange: Exchange, template: Template, match: Match): ServiceEvent {
  const { info, claimedQuality } = template
  const { port } = exchange.origin
  const [path = '/'] = exchange.path.split('?', 1)
  return {
    kind: 'found',
    severity: info.severity,
    finding: {
      kind: 'finding',
      address: target.address,
      port,
      transport: 'tcp',
      check: info.id,
      threat: info.threat,
      location: `${port}${path}${match.name === '' ? '' : ` ${match.name}`}`.slice(0, 500),
      quality: claimedQuality ?? qualityOf(match),
      ...httpEvidence(exchange, match),
    },
  }
}

function qualityOf({ isProof, isTimed }: Match): number {
  if (isTimed) return TIMED_QUALITY
  return isProof ? 99 : 70
}
