/** Scans: one run over one target. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Flag, Id, listOf, NextPage, Page, SeverityCount, Timestamp } from '#primitives.ts'
import { Target } from '#target.ts'

export const ScanStatus = z.enum([
  'STATUS_CREATED',
  'STATUS_RUNNING',
  'STATUS_COMPLETED',
  'STATUS_CANCELLED',
  'STATUS_FAILED',
])
export type ScanStatus = z.infer<typeof ScanStatus>
export const ScanType = z.enum(['TYPE_UNSPECIFIED', 'TYPE_AUTOMATIC', 'TYPE_MANUAL', 'TYPE_EMERGING'])
export type ScanType = z.infer<typeof ScanType>
export const ScanPhase = z.enum([
  'PHASE_WAITING',
  'PHASE_DISCOVERY',
  'PHASE_PORTS',
  'PHASE_IDENTIFY',
  'PHASE_CHECKS',
  'PHASE_EVALUATE',
  'PHASE_DONE',
])
export type ScanPhase = z.infer<typeof ScanPhase>

export const ScanProgress = z.object({
  phase: ScanPhase,
  hostsDone: z.number().int(),
  hostsTotal: z.number().int(),
  lastActivityTime: Timestamp.optional(),
  /** Why it failed, was cancelled or waits; empty otherwise. */
  failureReason: z.string(),
})
export const Scan = z.object({
  id: Id,
  type: ScanType,
  status: ScanStatus,
  issueCount: SeverityCount,
  target: Target.optional(),
  hostCount: z.object({ scannedHosts: z.number().int().default(0), affectedHosts: z.number().int().default(0) }),
  createTime: Timestamp,
  updateTime: Timestamp,
  startTime: Timestamp.optional(),
  completeTime: Timestamp.optional(),
  progress: ScanProgress.optional(),
  /** Against the scan before: how many issues are new and how many were resolved by this one. */
  changes: z.object({ new: z.number().int(), resolved: z.number().int(), regressive: z.number().int() }).optional(),
  startedBy: z.string().optional(),
})
export type Scan = z.infer<typeof Scan>

export const listScans = endpoint({
  method: 'GET',
  path: '/v1/scans',
  summary: 'Lists the scans, newest first.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        targetId: Id.optional(),
        status: listOf(ScanStatus),
        types: listOf(ScanType),
        createdAfter: Timestamp.optional(),
      })
      .optional(),
  }),
  result: z.object({ scans: z.array(Scan), ...NextPage }),
})
export const getScan = endpoint({
  method: 'GET',
  path: '/v1/scans/:id',
  summary: 'One scan with its progress.',
  input: z.object({ id: Id }),
  result: z.object({ scan: Scan }),
})
export const startScan = endpoint({
  method: 'POST',
  path: '/v1/scans',
  summary: 'Starts a scan of a target. While one is active the answer is 409 and names it.',
  input: z.strictObject({ targetId: Id }),
  result: z.object({ scan: Scan }),
})
export const cancelScan = endpoint({
  method: 'POST',
  path: '/v1/scans/:id/cancel',
  summary: 'Cancels a scan. It stops within two seconds and decides nothing more.',
  input: z.strictObject({ id: Id }),
  result: z.object({ scan: Scan }),
})
export const ScanEvent = z.object({
  id: Id,
  time: Timestamp,
  level: z.enum(['LEVEL_INFO', 'LEVEL_WARN', 'LEVEL_ERROR']),
  message: z.string(),
})
export const listScanEvents = endpoint({
  method: 'GET',
  path: '/v1/scans/:id/events',
  summary: 'What a scan did, oldest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ events: z.array(ScanEvent), ...NextPage }),
})
export const ReportFormat = z.enum(['pdf', 'json'])
/** Query of `GET /v1/scans/:id/report`, which answers with the file itself. */
export const ReportQuery = z.strictObject({ download: Flag.optional(), format: ReportFormat.default('pdf') })
