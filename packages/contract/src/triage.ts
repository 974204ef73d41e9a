/** Triage of issues: status, assignment, comments, evidence, retests, and exports. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { decision, Evidence, Issue, IssueFilter, IssueStatus } from '#issue.ts'
import { Empty, Id, listOf, NextPage, Page, Timestamp, UpdateMask } from '#primitives.ts'
import { Scan } from '#scan.ts'

/** An issue skipped by a bulk change; `code` is what a call for this issue alone would return. */
export const SkippedIssue = z.object({ id: Id, name: z.string(), code: z.int(), message: z.string() })
export type SkippedIssue = z.infer<typeof SkippedIssue>
/** The issues of a bulk change. */
const selection = {
  ids: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(10_000))),
  filter: z.optional(IssueFilter),
} as const
const bulkResult = {
  updatedCount: z.int(),
  /** At most 1,000. */
  skipped: z.array(SkippedIssue),
  skippedCount: z.int(),
} as const
export const setStatusOfMany = endpoint({
  method: 'POST',
  path: '/v1/issues/batch/status',
  summary: 'Set the status of several issues',
  description:
    'Selects issues by ID or by filter, and reports which were skipped and why. Beyond 5,000 hosts in total, the issues change immediately; lists and host counts follow within minutes.',
  input: z.strictObject({
    ...selection,
    ...decision,
    /** Skips issues changed after this time. To undo a change, pass its `decideTime`. */
    unchangedSinceTime: z.optional(Timestamp),
  }),
  result: z.object({
    ...bulkResult,
    /**
     * The previous status of each changed issue, with reason and duration if ignored, for undoing. Absent for more than
     * 10,000 issues.
     */
    before: z.optional(z.array(z.object({ ...decision, status: IssueStatus, ids: z.array(Id) }))),
    /** Time of the change as recorded in the history; absent if nothing changed. */
    decideTime: z.optional(Timestamp),
  }),
})
const ownership = {
  /** Identity ID of a member of the workspace. */
  assigneeId: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
  dueTime: z.optional(z.nullable(Timestamp)),
} as const
export const updateIssue = endpoint({
  method: 'PATCH',
  path: '/v1/issues/:id',
  summary: 'Update an issue',
  description: 'Changes only the fields named in `updateMask.paths`; null clears a field.',
  input: z.strictObject({
    id: Id,
    issue: z.strictObject({
      ...ownership,
      /** Replaces all tags; null or an empty list removes them. */
      tags: z.optional(z.nullable(z.array(z.object({ id: Id })).check(z.maxLength(100)))),
    }),
    updateMask: UpdateMask,
  }),
  result: z.object({ issue: Issue }),
})
export const updateManyIssues = endpoint({
  method: 'POST',
  path: '/v1/issues/batch/update',
  summary: 'Assign several issues, or set their due date',
  description:
    'Selects issues by ID or by filter, and reports which were skipped and why. Changes only the fields named in `updateMask.paths`; null clears a field. Issues that already have these values are neither updated nor skipped.',
  input: z.strictObject({
    ...selection,
    issue: z.strictObject(ownership),
    updateMask: UpdateMask,
    /** Skips issues whose named fields have other values, for undoing. */
    expectedIssue: z.optional(z.strictObject(ownership)),
  }),
  result: z.object({
    ...bulkResult,
    /** The previous values of each changed issue, for undoing. Absent for more than 10,000 issues. */
    before: z.optional(z.array(z.object({ issue: z.object(ownership), ids: z.array(Id) }))),
  }),
})
export const retestIssue = endpoint({
  method: 'POST',
  path: '/v1/issues/:id/retest',
  summary: 'Retest an issue',
  description:
    'Runs only the checks of this issue, on some or all affected hosts. Starts a manual scan of each target involved without using scan quota; responds with 409 while one of those targets is being scanned.',
  input: z.strictObject({ id: Id, hostIds: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(1000))) }),
  result: z.object({
    scan: Scan,
    /** All started scans, if the hosts belong to several targets. */
    scans: z.array(Scan),
  }),
})

/** The identity ID of a member. */
const memberId = z.string().check(z.minLength(1), z.maxLength(200))
export const Comment = z.object({
  id: Id,
  text: z.string(),
  /** The author's name. */
  actor: z.string(),
  /** The author's ID as a member; absent if the author is unknown. */
  actorId: z.optional(z.string()),
  /** Members that the comment mentions. */
  mentionIds: z.optional(z.array(z.string())),
  createTime: Timestamp,
})
export type Comment = z.infer<typeof Comment>
export const listComments = endpoint({
  method: 'GET',
  path: '/v1/issues/:id/comments',
  summary: 'List comments on an issue',
  description: 'Newest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ comments: z.array(Comment), ...NextPage }),
})
export const createComment = endpoint({
  method: 'POST',
  path: '/v1/issues/:id/comments',
  summary: 'Comment on an issue',
  input: z.strictObject({
    id: Id,
    text: z.string().check(z.trim(), z.minLength(1), z.maxLength(4000)),
    /** Members to notify by email. */
    mentionIds: z.optional(z.array(memberId).check(z.maxLength(20))),
  }),
  result: z.object({ comment: Comment }),
})
export const deleteComment = endpoint({
  method: 'DELETE',
  path: '/v1/issues/:id/comments/:commentId',
  summary: 'Delete a comment',
  input: z.object({ id: Id, commentId: Id }),
  result: Empty,
})

export const HostEvidence = z.extend(Evidence, { hostId: Id, status: IssueStatus })
export type HostEvidence = z.infer<typeof HostEvidence>
export const listEvidence = endpoint({
  method: 'GET',
  path: '/v1/issues/:id/evidence',
  summary: 'List evidence for an issue',
  description: 'Best first, for one host or all. Secrets are masked.',
  input: z.object({ id: Id, hostId: z.optional(Id), ...Page }),
  result: z.object({ evidence: z.array(HostEvidence), ...NextPage }),
})

/** Columns of an export. If one begins with `host` or `target`, there is one row per affected host. */
export const IssueColumn = z.enum([
  'id',
  'name',
  'cve',
  'severity',
  'score',
  'cvss',
  'epss',
  'kev',
  'priority',
  'status',
  'verification',
  'quality',
  'affectedHosts',
  'firstSeenTime',
  'lastSeenTime',
  'ignoreReason',
  'ignoreUntilTime',
  'assignee',
  'dueTime',
  'tags',
  'solution',
  'hostAddress',
  'hostName',
  'hostPort',
  'hostPath',
  'hostLocation',
  'hostStatus',
  'hostFirstSeenTime',
  'hostLastSeenTime',
  'targetName',
])
export type IssueColumn = z.infer<typeof IssueColumn>
/** Query of `GET /v1/issues/export`, which returns the file itself. */
export const ExportQuery = z.strictObject({
  format: z._default(z.enum(['csv', 'json']), 'csv'),
  columns: listOf(IssueColumn),
  filter: z.optional(IssueFilter),
})
