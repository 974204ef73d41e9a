/** Converts feed records and checks to threat drafts. */
import { packCriteria, productKeys, severityOf, type RecordSource, type ThreatRecord } from '@glacis/intelligence'
import type { CheckInfo } from '@glacis/scanner'
import { splitKey, type ThreatDraft } from '#threats/index.ts'

/** Maximum length of a product name, so that a malformed record can't exceed the index's limit. */
const nameLengthMax = 500
const noSolution = { kind: 'KIND_UNSPECIFIED', description: '' } as const

/** The threat that a check detects. */
export function fromCheck(check: CheckInfo): ThreatDraft {
  const rated = check.cvss ? severityOf(check.cvss) : null
  return {
    key: check.threat,
    kind: 'check',
    source: 'check',
    name: check.name,
    summary: check.summary,
    impact: check.impact,
    affected: '',
    insight: '',
    severity: rated ?? { cvss: '', ...severityOfName(check.severity, check.score) },
    solution: { kind: check.remediation ? 'KIND_MITIGATION' : 'KIND_UNSPECIFIED', description: check.remediation },
    references: [...check.cves.map((cve) => ({ cve })), ...check.references.map((url) => ({ url }))],
    knownExploitedAt: null,
    epss: null,
    record: null,
    hasCriteria: false,
    products: [],
    modifiedAt: null,
    publishedAt: null,
    effectiveAt: null,
  }
}

const severities = {
  critical: { score: 9.5, category: 'CATEGORY_CRITICAL' },
  high: { score: 7.5, category: 'CATEGORY_HIGH' },
  medium: { score: 5.5, category: 'CATEGORY_MEDIUM' },
  low: { score: 2.5, category: 'CATEGORY_LOW' },
} as const

/** A severity without a CVSS vector gets the score in the middle of its range. */
function severityOfName(label: string, score: number | null) {
  const match = Object.entries(severities).find(([name]) => name === label)?.[1]
  if (!match) return { score: score ?? 0, category: 'CATEGORY_NONE' as const }
  return { score: score ?? match.score, category: match.category }
}

/** Converts a feed record. Only the criteria and the ratings with their sources are kept of it. */
export function fromRecord(threat: ThreatRecord, source: RecordSource): ThreatDraft {
  const { id, configurations, isRejected, metrics, weaknesses, severity, solution, epss, knownExploited } = threat
  const isCve = id.startsWith('CVE-')
  const packed = packCriteria(threat)
  const otherReferences = threat.references.filter((item) => !('cve' in item) || item.cve !== id)
  return {
    key: id,
    kind: source === 'lifecycle' ? 'lifecycle' : 'cve',
    source,
    name: threat.name,
    summary: threat.summary,
    impact: threat.impact,
    affected: threat.affected,
    insight: threat.insight,
    severity,
    solution: solution ?? noSolution,
    references: [...(isCve ? [{ cve: id }] : []), ...otherReferences],
    knownExploitedAt: knownExploited ? new Date(knownExploited.addTime) : null,
    epss: epss ?? null,
    record: { id, configurations, isRejected, metrics, weaknesses },
    hasCriteria: configurations.length > 0 || isRejected,
    products: productKeys(threat)
      .filter((key) => key.length <= nameLengthMax)
      .map((key) => ({ ...splitKey(key), criteria: packed.get(key) ?? '[]' })),
    modifiedAt: timeOf(threat.modifyTime),
    publishedAt: timeOf(threat.publishTime),
    effectiveAt: source === 'lifecycle' ? timeOf(threat.publishTime) : null,
  }
}

function timeOf(text: string): Date | null {
  return text === '' ? null : new Date(text)
}

/** Removes duplicate keys; the last draft wins. */
export function distinct(drafts: readonly ThreatDraft[]): ThreatDraft[] {
  return [...new Map(drafts.map((draft) => [draft.key, draft])).values()]
}
