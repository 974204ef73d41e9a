/** Threats as delivered by packs, and the precedence of their sources. */
import { createHash } from 'node:crypto'
import type { Threat } from '@glacis/contract/threat'
import { newId } from '#database/index.ts'
import { storable } from '#database/text.ts'

/** The source of a threat record. `ranks` defines their precedence. */
export type Source = 'own' | 'nvd' | 'cve5' | 'override' | 'retire' | 'check' | 'lifecycle'

/** A product that a threat can affect. */
export interface NamedProduct {
  readonly vendor: string
  readonly product: string
  /**
   * The record's criteria in the matcher's packed format; if absent, the matcher reads the record.
   */
  readonly criteria?: string
}

/** A threat as delivered by a pack. */
export interface ThreatDraft {
  /** The CVE ID, or the ID of the check or of the release that reaches its end of life. */
  readonly key: string
  readonly kind: 'check' | 'cve' | 'lifecycle'
  readonly source: Source
  readonly name: string
  readonly summary: string
  readonly impact: string
  readonly affected: string
  readonly insight: string
  readonly severity: Threat['severity']
  readonly solution: NonNullable<Threat['solution']>
  readonly references: Threat['references']
  readonly knownExploitedAt: Date | null
  readonly epss: Threat['epss'] | null
  /** The record that the matcher reads; null for threats that only a check can detect. */
  readonly record: object | null
  /** Whether the record is conclusive: it has criteria, or the threat was withdrawn. */
  readonly hasCriteria: boolean
  readonly products: readonly NamedProduct[]
  readonly modifiedAt: Date | null
  readonly publishedAt: Date | null
  /** The threat isn't raised before this time; null: always. */
  readonly effectiveAt: Date | null
}

/**
 * Precedence of sources by field group. Our own packs have the best descriptions, the NVD the best
 * criteria and ratings; the others fill the gaps.
 */
const ranks: Readonly<
  Record<Source, { readonly words: number; readonly criteria: number; readonly severity: number }>
> = {
  lifecycle: { words: 5, criteria: 6, severity: 5 },
  own: { words: 4, criteria: 4, severity: 3 },
  nvd: { words: 3, criteria: 5, severity: 4 },
  override: { words: 1, criteria: 3, severity: 1 },
  cve5: { words: 2, criteria: 2, severity: 2 },
  retire: { words: 1, criteria: 1, severity: 1 },
  check: { words: 1, criteria: 0, severity: 1 },
}

export function criteriaRank(draft: ThreatDraft): number {
  return draft.hasCriteria ? ranks[draft.source].criteria : 0
}

/** Serializes a draft as the JSON that `writeThreats` reads. */
export function toRow(draft: ThreatDraft): string {
  const { severity, solution, epss } = draft
  const rank = ranks[draft.source]
  const row = {
    key: draft.key,
    kind: draft.kind,
    name: draft.name,
    summary: draft.summary,
    impact: draft.impact,
    affected: draft.affected,
    insight: draft.insight,
    cvss: severity.cvss,
    score: severity.score,
    category: severity.category,
    solution_kind: solution.kind,
    solution: solution.description,
    refs: draft.references,
    epss_score: epss?.score ?? null,
    epss_percentile: epss?.percentile ?? null,
    known_exploited_at: draft.knownExploitedAt,
    record: draft.record,
    words_rank: rank.words,
    criteria_rank: criteriaRank(draft),
    severity_rank: severity.category === 'CATEGORY_UNSPECIFIED' ? 0 : rank.severity,
    modified_at: draft.modifiedAt,
    published_at: draft.publishedAt,
    effective_at: draft.effectiveAt,
  }
  const text = JSON.stringify(row)
  const digest = createHash('sha1')
    .update(`[${text},${JSON.stringify(draft.products.map(({ vendor, product }) => ({ vendor, product })))}]`)
    .digest('base64url')
  const cleaned = text.includes('\\u0000') ? JSON.stringify(withoutNul(row)) : text
  // Batches contain a hundred thousand records: each is serialized once and reused for its digest.
  return `${JSON.stringify({ id: newId(), digests: { [draft.source]: digest } }).slice(0, -1)},${cleaned.slice(1)}`
}

/** PostgreSQL text can't contain NUL, and no feed needs it. */
function withoutNul<Row extends object>(row: Row): Row {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
