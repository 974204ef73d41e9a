/** Attributes a path traversal to the product it is in. */
import type { CheckPlan } from '#template/plan.ts'
import { identifiedNames, rankOf } from '#template/relevance.ts'
import type { CheckTarget, Finding } from '#template/service-run.ts'

/**
 * A server that reads any file for any path with `..` also matches the checks of other products' path traversals.
 * Where such a server was found, only those of identified products remain.
 */
export function attributed(
  findings: readonly Finding[],
  { services }: CheckTarget,
  plan: CheckPlan,
): readonly Finding[] {
  const templates = new Map(plan.templates.map((template) => [template.id, template]))
  const isTraversal = ({ check }: Finding) => templates.get(check)?.info.tags.includes('lfi') ?? false
  const isGeneral = ({ check }: Finding) => templates.get(check)?.info.cves.length === 0
  const ports = new Set(
    findings.filter((finding) => isTraversal(finding) && isGeneral(finding)).map(({ port }) => port),
  )
  const isForeign = (finding: Finding) => {
    const template = templates.get(finding.check)
    const technologies = services.find(({ port }) => port === finding.port)?.technologies ?? []
    return template !== undefined && rankOf(template, identifiedNames(technologies)) === 1
  }
  return findings.filter(
    (finding) => !ports.has(finding.port) || !isTraversal(finding) || isGeneral(finding) || !isForeign(finding),
  )
}
