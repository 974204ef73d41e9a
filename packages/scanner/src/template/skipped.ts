/** Relevant checks that don't run because the scan has no permission for them. */
import type { CheckPermission, Observation } from '@glacis/contract/runner'
import { appliesToService } from '#template/network.ts'
import { prepare } from '#template/plan.ts'
import { identifiedNames } from '#template/relevance.ts'
import { appliesTo } from '#template/selection.ts'
import type { ServiceRun } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'

/** One observation per missing permission. */
export function* reportSkipped(run: ServiceRun): Iterable<Observation> {
  const relevant = prepare(run.plan, run.permissions).withoutPermission.filter((template) => isRelevant(template, run))
  const byPermission = Map.groupBy(relevant, ({ permission }) => permission)
  const { address } = run.target
  for (const [permission, templates] of byPermission) if (permission) yield skipped(run, address, permission, templates)
}

function skipped(
  { service: { port } }: ServiceRun,
  address: string,
  permission: CheckPermission,
  templates: readonly Template[],
): Observation {
  return { kind: 'skipped', address, port, permission, checks: templates.map(({ id }) => id) }
}

function isRelevant(template: Template, { service, tools }: ServiceRun): boolean {
  const isWeb = service.protocol === 'http' || service.protocol === 'https'
  const isOnWeb = isWeb && template.counts.http > 0
  if (isOnWeb && (tools.isExhaustive || appliesTo(template, identifiedNames(service.technologies)))) return true
  if (service.tls && template.counts.ssl > 0) return true
  return template.counts.network > 0 && template.network.some((block) => appliesToService(template, block, service))
}
