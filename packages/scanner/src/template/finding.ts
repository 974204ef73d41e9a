/** Converts a match of an HTTP check to a finding. */
import { httpEvidence } from '#template/evidence.ts'
import type { Exchange } from '#template/redirects.ts'
import type { Match } from '#template/matcher.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'

/** A delay confirmed twice is stronger evidence than a status, but weaker than response content. */
const TIMED_QUALITY = 80

/** Whether findings of this severity are held back until the honeypot check. */
export function isSerious(severity: string): boolean {
  return severity === 'critical' || severity === 'high'
}

/** The finding of a match, at the path of the matched response. */
export function toFinding({ target }: ServiceRun, exchange: Exchange, template: Template, match: Match): ServiceEvent {
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
