/** What people do to issues: decide, assign, comment, look at the proof, check again, take them along. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { decision, Evidence, Issue, IssueFilter, IssueStatus } from '#issue.ts'
import { Empty, Id, listOf, NextPage, Page, Timestamp, UpdateMask } from '#primitives.ts'
import { Scan } from '#scan.ts'

/** An issue of a batch that was left as it was; `code` is the one that a call for it alone would answer. */
export const SkippedIssue = z.object({ id: Id, name: z.string(), code: z.number().int(), message: z.string() })
export type SkippedIssue = z.infer<typeof SkippedIssue>
export const setStatusOfMany = endpoint({
  method: 'POST',
  path: '/v1/issues/batch/status',
  summary: 'Set the status of several issues',
  description:
    'Selects issues by id or by filter, and reports which were skipped and why. Beyond 5,000 hosts in total the issues change immediately; lists and host counts follow within minutes.',
  input: z.strictObject({
    ids: z.array(Id).min(1).max(10_000).optional(),
    filter: IssueFilter.optional(),
    ...decision,
    /** What has changed after this time is left as it is, whoever changed it: the `decideTime` of what is taken back. */
    unchangedSinceTime: Timestamp.optional(),
  }),
  result: z.object({
    updatedCount: z.number().int(),
    /** At most 1,000 of them. */
    skipped: z.array(SkippedIssue),
    skippedCount: z.number().int(),
    /** How each changed issue stood, for whoever takes it back, and on which terms if it was ignored; absent beyond 10,000. */
    before: z.array(z.object({ ...decision, status: IssueStatus, ids: z.array(Id) })).optional(),
    /** When it was decided, as the histories tell it; absent where nothing was. */
    decideTime: Timestamp.optional(),
  }),
})
export const updateIssue = endpoint({
  method: 'PATCH',
  path: '/v1/issues/:id',
  summary: 'Update an issue',
  description: 'Changes only the fields named in `updateMask.paths`; null clears a field.',
  input: z.strictObject({
    id: Id,
    issue: z.strictObject({
      /** Identity of a person of the account. */
      assigneeId: z.string().max(200).nullable().optional(),
      dueTime: Timestamp.nullable().optional(),
      /** All that it is to carry from now on; null and an empty list mean none. */
      tags: z
        .array(z.object({ id: Id }))
        .max(100)
        .nullable()
        .optional(),
    }),
    updateMask: UpdateMask,
  }),
  result: z.object({ issue: Issue }),
})
export const retestIssue = endpoint({
  method: 'POST',
  path: '/v1/issues/:id/retest',
  summary: 'Retest an issue',
  description:
    'Runs only the checks of this issue, on some or all affected hosts. Starts a manual scan of each target involved without using scan quota; responds with 409 while one of those targets is being scanned.',
  input: z.strictObject({ id: Id, hostIds: z.array(Id).max(1000).optional() }),
  result: z.object({
    scan: Scan,
    /** All of them, where the hosts belong to several targets. */
    scans: z.array(Scan),
  }),
})

export const Comment = z.object({ id: Id, text: z.string(), actor: z.string(), createTime: Timestamp })
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
  input: z.strictObject({ id: Id, text: z.string().trim().min(1).max(4000) }),
  result: z.object({ comment: Comment }),
})
export const deleteComment = endpoint({
  method: 'DELETE',
  path: '/v1/issues/:id/comments/:commentId',
  summary: 'Delete a comment',
  input: z.object({ id: Id, commentId: Id }),
  result: Empty,
})

export const HostEvidence = Evidence.extend({ hostId: Id, status: IssueStatus })
export type HostEvidence = z.infer<typeof HostEvidence>
export const listEvidence = endpoint({
  method: 'GET',
  path: '/v1/issues/:id/evidence',
  summary: 'List evidence for an issue',
  description: 'Best first, for one host or all. Secrets are masked.',
  input: z.object({ id: Id, hostId: Id.optional(), ...Page }),
  result: z.object({ evidence: z.array(HostEvidence), ...NextPage }),
})

/** Columns of an export. With one that begins with `host` or `target` there is one row per affected host. */
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
  'hostLocation',
  'hostStatus',
  'hostFirstSeenTime',
  'hostLastSeenTime',
  'targetName',
])
export type IssueColumn = z.infer<typeof IssueColumn>
/** Query of `GET /v1/issues/export`, which answers with the file itself. */
export const ExportQuery = z.strictObject({
  format: z.enum(['csv', 'json']).default('csv'),
  columns: listOf(IssueColumn),
  filter: IssueFilter.optional(),
})
