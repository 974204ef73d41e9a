/** Converts a match of an HTTP check to a finding. */
import { httpEvidence } from '#template/evidence.ts'
import type { Exchange } from '#template/redirects.ts'
import type { Match } from '#template/matcher.ts'
import { doubtReasons, type Verdict } from '#template/match-verification.ts'
import { curlCommand } from '#template/reproduce.ts'
import type { DoubtedEvent, ServiceEvent, ServiceRun } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'

/** A delay confirmed twice is stronger evidence than a status, but weaker than response content. */
const TIMED_QUALITY = 80

/** Whether findings of this severity are held back until the honeypot check. */
export function isSerious(severity: string): boolean {
  return severity === 'critical' || severity === 'high'
}

/** A withheld match, and why; nothing for one that would not be reported or could not be decided. */
export function toDoubted(exchange: Exchange, template: Template, match: Match, verdict: Verdict): DoubtedEvent[] {
  if (match.isSilent || verdict === 'true' || verdict === 'unknown') return []
  const location = locationOf(exchange, match)
  return [{ kind: 'doubted', check: template.id, location, reason: doubtReasons[verdict] }]
}

/** The finding of a match, at the path of the matched response. */
export function toFinding(
  { target, virtualHost }: ServiceRun,
  exchange: Exchange,
  template: Template,
  match: Match,
): ServiceEvent {
  const { info, claimedQuality } = template
  const { port } = exchange.origin
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
      location: locationOf(exchange, match, virtualHost),
      quality: claimedQuality ?? qualityOf(match),
      ...httpEvidence(exchange, match),
      ...reproduceOf(exchange),
    },
  }
}

function locationOf({ origin, path }: Exchange, { name }: Match, virtualHost?: string): string {
  const [file = '/'] = path.split('?', 1)
  return `${origin.port}${virtualHost === undefined ? '' : ` ${virtualHost}`}${file}${name === '' ? '' : ` ${name}`}`.slice(
    0,
    500,
  )
}

/** Only for requests that change nothing: others must not be repeated. */
function reproduceOf({ origin, request }: Exchange): { reproduce?: string } {
  const command = curlCommand(origin, request)
  return command === null ? {} : { reproduce: command }
}

function qualityOf({ isProof, isTimed }: Match): number {
  if (isTimed) return TIMED_QUALITY
  return isProof ? 99 : 70
}
