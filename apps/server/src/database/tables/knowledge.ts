/** Threats, packs, and known software, shared by all workspaces. */
import type { Reference, SeverityCategory, SolutionKind } from '@glacis/contract/threat'
import type { ColumnType, Generated } from 'kysely'
import type { Json, Numeric } from '#database/tables/kinds.ts'

/** packs (with exploitation, distribution_fix, release_cycle, and software) */
export interface PackTable {
  name: string
  version: string
  records: number
  skipped: number
  state: string
  problem: Generated<string>
  progress: Generated<string>
  cursor: ColumnType<unknown, string | null, string | null>
  validators: ColumnType<Record<string, string>, string | undefined, string>
  failures: Generated<number>
  checked_at: Date | null
  next_at: Date | null
  updated_at: Date
}
export interface ReleaseCycleTable {
  vendor: string
  product: string
  cycle: string
  name: string
  /** A day, as text. */
  ends_on: ColumnType<string | null, string | null, string | null>
  is_over: boolean
  latest: string
}
/** threats (with threat_product and threat_change) */
export interface ThreatTable {
  id: string
  key: string
  kind: 'check' | 'cve' | 'lifecycle'
  name: string
  summary: string
  impact: string
  affected: string
  insight: string
  cvss: string
  score: Numeric
  category: SeverityCategory
  solution_kind: SolutionKind
  solution: string
  refs: Json<Reference[]>
  epss_score: number | null
  epss_percentile: number | null
  known_exploited_at: Date | null
  record: ColumnType<unknown, string | null, string | null>
  digests: ColumnType<Record<string, string>, string, string>
  words_rank: number
  criteria_rank: number
  severity_rank: number
  modified_at: Date | null
  published_at: Date | null
  effective_at: Date | null
  updated_at: Generated<Date>
}
