/** Matches the HTTP checks of one service against its responses. */
import type { SharedClient } from '#net/shared-client.ts'
import type { Calibration, Listener } from '#template/calibration.ts'
import type { Lookup } from '#template/dsl-value.ts'
import { toDoubted, toFinding } from '#template/finding.ts'
import type { Member } from '#template/groups.ts'
import type { Health } from '#template/health.ts'
import { verifyMatch } from '#template/match-verification.ts'
import { evaluateOperators } from '#template/matcher.ts'
import { createPrefilter, type Prefilter } from '#template/prefilter.ts'
import type { Progress } from '#template/progress.ts'
import type { Exchange } from '#template/redirects.ts'
import { headOf, responseParts } from '#template/response-parts.ts'
import { namesOfMatch } from '#template/selection.ts'
import type { ServiceEvent, ServiceRun } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'
import { withRandom, withVariables } from '#template/variables.ts'

/** State shared by the checks of one service. */
export interface HttpRun {
  readonly run: ServiceRun
  readonly client: SharedClient
  readonly basePath: string
  readonly calibration: Calibration
  readonly health: Health
  readonly progress: Map<Template, Progress>
  readonly lookups: Map<Template, Lookup>
  readonly targetLookup: Lookup
  /** There are so few checks that all of them run. */
  readonly isSmall: boolean
  /** Names of the identified products; matches add to it. */
  readonly names: Set<string>
  /** Templates with a finding. */
  readonly found: Set<Template>
}
/** Where a template is matched: the requested path, and one of the responses. */
interface Place {
  readonly path: string
  readonly exchange: Exchange
}

/** Below this number of templates, the prefilter doesn't pay off. */
const PREFILTER_FROM = 12

const prefilters = new WeakMap<readonly Member[], Prefilter>()

/** Indexes of members that may match; undefined to check all. */
export function candidatesOf(members: readonly Member[], response: Exchange['response']): Uint8Array | undefined {
  if (members.length < PREFILTER_FROM) return undefined
  const operators = members.flatMap(({ template, block }) => template.http[block]?.operators ?? [])
  const prefilter = prefilters.get(members) ?? createPrefilter(operators)
  prefilters.set(members, prefilter)
  return prefilter.candidates(`${headOf(response)}\r\n${response.body.toString('latin1')}`)
}

/** @returns whether a match could not be decided, so that the check is incomplete */
export async function* matchExchange(
  work: HttpRun,
  { path, exchange }: Place,
  { template, block: blockIndex }: Member,
): AsyncGenerator<ServiceEvent, boolean> {
  const block = template.http[blockIndex]
  if (!block) return false
  let isInconclusive = false
  const listener: Listener = { template, block, lookup: lookupOf(work, template), unit: work.run.units.of(template.id) }
  const response = responseParts(exchange, listener.lookup, block.bodyBytesMax)
  for (const match of evaluateOperators(block.operators, response, listener.unit)) {
    const verdict = await verifyMatch(work, path, exchange, listener, match)
    if (verdict === 'unknown') isInconclusive = true
    yield* toDoubted(exchange, template, match, verdict)
    if (verdict !== 'true') continue
    for (const name of namesOfMatch(template, match.name)) work.names.add(name)
    if (!match.isSilent) {
      work.found.add(template)
      yield toFinding(work.run, exchange, template, match)
    }
    const progress = work.progress.get(template)
    if (progress && (template.stopsAtFirstMatch || block.stopsAtFirstMatch)) progress.isDone = true
  }
  return isInconclusive
}

/** Records that a check is incomplete on this service, and why it was stopped. */
export function markBroken({ progress }: HttpRun, template: Template, stopReason: string | null = null): void {
  const current = progress.get(template)
  if (!current) return
  current.isBroken = true
  current.stopReason ??= stopReason
}

/**
 * Variables of the target and the template, and random values that stay constant per template and
 * service.
 */
export function lookupOf({ lookups, targetLookup }: HttpRun, template: Template): Lookup {
  const cached = lookups.get(template) ?? withVariables(template.variables, withRandom(targetLookup))
  lookups.set(template, cached)
  return cached
}
