/** Threats as packs bring them, and whose word counts. */
import { createHash } from 'node:crypto'
import type { Threat } from '@glacis/contract/threat'
import { newId } from '#database/index.ts'
import { storable } from '#database/text.ts'

/** Who says it. Each is best at something, see `ranks`. */
export type Source = 'own' | 'nvd' | 'cve5' | 'override' | 'retire' | 'check' | 'lifecycle'

/** A product that a threat may touch. */
export interface NamedProduct {
  readonly vendor: string
  readonly product: string
  /** What the record says of it, as the matcher packs it; where it is absent the matcher reads the record. */
  readonly criteria?: string
}

/** A threat as a pack brings it. */
export interface ThreatDraft {
  /** The CVE, else the id of the check, or of the release whose support ends. */
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
  /** What the matcher reads; null for what only a check can prove. */
  readonly record: object | null
  /** The record says something: it names criteria, or that the threat was withdrawn. */
  readonly hasCriteria: boolean
  readonly products: readonly NamedProduct[]
  readonly modifiedAt: Date | null
  readonly publishedAt: Date | null
  /** Not before then does it hold; null: always. */
  readonly effectiveAt: Date | null
}

/**
 * Whose word counts most. Our own packs say best what a threat is; the NVD's analysts know best what
 * is affected and how bad it is; the rest fills what they leave open.
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

/** A draft as the JSON that `writeThreats` reads. */
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
  const kept = text.includes('\\u0000') ? JSON.stringify(withoutNul(row)) : text
  // A hundred thousand records come at a time: each is written as text once, and not again for its digest.
  return `${JSON.stringify({ id: newId(), digests: { [draft.source]: digest } }).slice(0, -1)},${kept.slice(1)}`
}

/** PostgreSQL stores no NUL, and no feed needs one. */
function withoutNul<Row extends object>(row: Row): Row {
  return JSON.parse(JSON.stringify(row), (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
