/** Threats: a CVE from a feed, or a weakness that a check can prove. */
import { z } from 'zod/mini'
import { Id, Timestamp } from '#primitives.ts'

export const SeverityCategory = z.enum([
  'CATEGORY_UNSPECIFIED',
  'CATEGORY_NONE',
  'CATEGORY_LOW',
  'CATEGORY_MEDIUM',
  'CATEGORY_HIGH',
  'CATEGORY_CRITICAL',
])
export type SeverityCategory = z.infer<typeof SeverityCategory>

export const Severity = z.object({
  /** CVSS vector; empty if unknown. */
  cvss: z.string(),
  /** 0 to 10. */
  score: z.number(),
  category: SeverityCategory,
})
export type Severity = z.infer<typeof Severity>

export const SolutionKind = z.enum([
  'KIND_UNSPECIFIED',
  'KIND_NONE',
  'KIND_WONT_FIX',
  'KIND_MITIGATION',
  'KIND_WORKAROUND',
  'KIND_VENDOR_FIX',
])
export type SolutionKind = z.infer<typeof SolutionKind>

export const Reference = z.union([z.object({ url: z.string() }), z.object({ cve: z.string() })])
export type Reference = z.infer<typeof Reference>

export const Threat = z.object({
  id: Id,
  name: z.string(),
  summary: z.string(),
  impact: z.string(),
  affected: z.string(),
  insight: z.string(),
  severity: Severity,
  solution: z.optional(z.object({ kind: SolutionKind, description: z.string() })),
  references: z.array(Reference),
  epss: z.optional(z.object({ score: z.number(), percentile: z.number() })),
  knownExploited: z.optional(z.object({ addTime: Timestamp })),
})
export type Threat = z.infer<typeof Threat>
