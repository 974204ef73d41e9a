/** What a match of an HTTP check is told as. */
import { httpEvidence } from '#template/evidence.ts'
import type { Exchange } from '#template/http.ts'
import type { Match } from '#template/matcher.ts'
import type { ServiceEvent, ServiceRun } from '#template/run.ts'
import type { Template } from '#template/template.ts'

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
      quality: claimedQuality ?? (match.isProof ? 99 : 70),
      ...httpEvidence(exchange, match),
    },
  }
}
