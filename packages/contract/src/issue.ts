/** Issues ("risks" in the portal): a threat on the workspace's hosts, with status and history. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Host } from '#host.ts'
import { Flag, Id, listOf, NextPage, Page, Timestamp } from '#primitives.ts'
import { Tag } from '#tag.ts'
import { Target } from '#target.ts'
import { SeverityCategory, Threat } from '#threat.ts'

export const IssueStatus = z.enum(['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED', 'STATUS_REGRESSION'])
export type IssueStatus = z.infer<typeof IssueStatus>
export const Verification = z.enum(['VERIFICATION_VERIFIED', 'VERIFICATION_UNVERIFIED'])
export type Verification = z.infer<typeof Verification>
/** OPEN includes open and regression. */
export const StatusFilter = z.enum([
  'STATUS_FILTER_ALL',
  'STATUS_FILTER_OPEN',
  'STATUS_FILTER_RESOLVED',
  'STATUS_FILTER_IGNORED',
])
export type StatusFilter = z.infer<typeof StatusFilter>
export const VerificationFilter = z.enum([
  'VERIFICATION_FILTER_UNSPECIFIED',
  'VERIFICATION_FILTER_ALL',
  'VERIFICATION_FILTER_VERIFIED',
  'VERIFICATION_FILTER_UNVERIFIED',
])
export type VerificationFilter = z.infer<typeof VerificationFilter>
/** Each order is backed by an index. Ties are sorted by creation, newest first. */
export const IssueOrder = z.enum([
  'ORDER_BY_MOST_RECENT',
  'ORDER_BY_PRIORITY',
  'ORDER_BY_SEVERITY',
  'ORDER_BY_EPSS',
  'ORDER_BY_AFFECTED_HOSTS',
  'ORDER_BY_OLDEST',
])
export type IssueOrder = z.infer<typeof IssueOrder>
export const IgnoreReason = z.enum(['REASON_ACCEPTED_RISK', 'REASON_FALSE_POSITIVE', 'REASON_MITIGATED'])
export type IgnoreReason = z.infer<typeof IgnoreReason>
export const ignoreReasonLabels: Readonly<Record<IgnoreReason, string>> = {
  REASON_ACCEPTED_RISK: 'Accepted risk',
  REASON_FALSE_POSITIVE: 'False positive',
  REASON_MITIGATED: 'Mitigated',
}

export const HistoryEntry = z.object({
  status: IssueStatus,
  timestamp: Timestamp,
  /** The user's name, or `scan`. */
  actor: z.optional(z.string()),
  reason: z.optional(z.string()),
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** The evidence of an issue on one host. */
export const Evidence = z.object({
  location: z.string(),
  port: z.optional(z.int()),
  /** ID of the check, or `version` if the version matched a vulnerability record. */
  method: z.string(),
  /** Quality of detection (QoD), 0 to 100. */
  quality: z.int(),
  /** The request, if any. */
  request: z.optional(z.string()),
  /** The response, or the values compared. Secrets are masked. */
  text: z.string(),
  /** The parts of `text` that matched. */
  highlights: z._default(z.array(z.string()), []),
  /** Values that the check extracted, such as a version. */
  extracted: z.optional(z.array(z.string())),
  /** Shell command that reproduces the weakness and changes nothing. Secrets are masked. */
  reproduce: z.optional(z.string()),
  time: Timestamp,
})
export type Evidence = z.infer<typeof Evidence>

/** Reason and duration of ignoring an issue. */
export const Ignoring = z.object({
  reason: z.optional(IgnoreReason),
  comment: z.optional(z.string()),
  /** Who ignored it. */
  actor: z.optional(z.string()),
  /** When it reopens; absent means never. */
  untilTime: z.optional(Timestamp),
})
export type Ignoring = z.infer<typeof Ignoring>

export const AffectedHost = z.object({
  target: Target,
  /** Always with an empty `inventory` and `services`; `getHost` returns them. */
  host: Host,
  status: IssueStatus,
  history: z.array(HistoryEntry),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
  ignoreTime: z.optional(Timestamp),
  resolveTime: z.optional(Timestamp),
  ignored: z.optional(Ignoring),
  evidence: z.optional(z.array(Evidence)),
  /** Set if recent scans could not check it: since then it is neither confirmed nor refuted. */
  notCheckedSinceTime: z.optional(Timestamp),
})
export type AffectedHost = z.infer<typeof AffectedHost>

export const Issue = z.object({
  id: Id,
  name: z.string(),
  status: IssueStatus,
  threat: Threat,
  affectedHosts: z.array(AffectedHost),
  history: z.array(HistoryEntry),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
  ignoreTime: z.optional(Timestamp),
  resolveTime: z.optional(Timestamp),
  verification: z.optional(Verification),
  /** 0 to 100; higher means fix earlier. */
  priority: z.optional(z.int()),
  /** How the priority was calculated, step by step. Only in `getIssue`. */
  priorityParts: z.optional(z.array(z.object({ label: z.string(), value: z.int() }))),
  /** Highest quality of detection among its occurrences, 0 to 100. */
  quality: z.optional(z.int()),
  /** Total number of affected hosts; lists contain only the first ones. */
  affectedHostCount: z.optional(z.int()),
  /** Present only while ignored. */
  ignored: z.optional(Ignoring),
  assignee: z.optional(z.object({ id: z.string(), name: z.string() })),
  dueTime: z.optional(Timestamp),
  /** Tags of the issue itself, without those of its targets. */
  tags: z._default(z.array(Tag), []),
})
export type Issue = z.infer<typeof Issue>

export const IssueFilter = z.strictObject({
  scanId: z.optional(Id),
  affectedTargetId: z.optional(Id),
  affectedHostId: z.optional(Id),
  productId: z.optional(Id),
  status: listOf(StatusFilter),
  verification: z.optional(VerificationFilter),
  severities: listOf(SeverityCategory),
  query: z.optional(z.string().check(z.maxLength(200))),
  kev: z.optional(Flag),
  /** Found again after being resolved. */
  regressive: z.optional(Flag),
  /** 0 to 1. */
  minEpss: z.optional(z.coerce.number().check(z.minimum(0), z.maximum(1))),
  /** Issues with one of these tags, or on targets with one of them. */
  tagIds: listOf(Id),
  /** First seen at or after this time. */
  newSince: z.optional(Timestamp),
  /** Whether the vendor has published a fix. */
  fixAvailable: z.optional(Flag),
  cve: z.optional(z.string().check(z.regex(/^CVE-\d{4}-\d{4,}$/i, 'Expected a CVE number, as in CVE-2021-41773'))),
  assigneeId: z.optional(z.string().check(z.maxLength(200))),
  isUnassigned: z.optional(Flag),
})
export type IssueFilter = z.infer<typeof IssueFilter>

export const listIssues = endpoint({
  method: 'GET',
  path: '/v1/issues',
  summary: 'List issues',
  description: 'Each issue includes its first three affected hosts; `getIssue` returns up to 500.',
  input: z.object({ ...Page, filter: z.optional(IssueFilter), orderBy: z.optional(IssueOrder) }),
  result: z.object({ issues: z.array(Issue), ...NextPage }),
})
export const getIssue = endpoint({
  method: 'GET',
  path: '/v1/issues/:id',
  summary: 'Get an issue',
  description:
    'Includes its history, its evidence, and the first 500 affected hosts; `affectedHostCount` is the total. The hosts come without services and software, which `getHost` returns.',
  input: z.object({ id: Id }),
  result: z.object({ issue: Issue }),
})
/** Maximum number of days that a critical or high issue can be ignored. */
export const ignoreDaysMax = 365

/**
 * A status chosen by a user, with reason and duration if ignored. The status alone is enough; a comment
 * or end date of an ignored issue requires a reason.
 */
export const decision = {
  status: z.enum(['STATUS_OPEN', 'STATUS_RESOLVED', 'STATUS_IGNORED']),
  reason: z.optional(IgnoreReason),
  comment: z.optional(z.string().check(z.maxLength(4000))),
  ignoreUntilTime: z.optional(Timestamp),
} as const

export const setIssueStatus = endpoint({
  method: 'PUT',
  path: '/v1/issues/:id/status',
  summary: "Set an issue's status",
  description:
    'Applies to all affected hosts. The last write wins, and the history records every change. Critical and high issues can be ignored for at most 365 days, which is also the default; false positives without an end time stay ignored. Beyond 5,000 hosts, the issue changes immediately; lists and host counts follow within minutes.',
  input: z.strictObject({ id: Id, ...decision }),
  result: z.object({ issue: Issue }),
})
export const setHostStatus = endpoint({
  method: 'PUT',
  path: '/v1/issues/:id/affected-hosts/:hostId/status',
  summary: "Set an issue's status on one host",
  description: 'Other affected hosts are unchanged.',
  input: z.strictObject({ id: Id, hostId: Id, ...decision }),
  result: z.object({ issue: Issue }),
})
