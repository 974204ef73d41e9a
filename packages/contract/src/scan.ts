/** Scans of targets, their events, hosts, comparisons, and reports. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Flag, Id, listOf, NextPage, Page, SeverityCount, Timestamp } from '#primitives.ts'
import { Skipped, Target } from '#target.ts'
import { SeverityCategory } from '#threat.ts'

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
  hostsDone: z.int(),
  hostsTotal: z.int(),
  lastActivityTime: z.optional(Timestamp),
  /** Why it failed, was canceled, or is waiting; empty otherwise. */
  failureReason: z.string(),
  /** When it resumes, while waiting for the target's allowed hours. */
  resumeTime: z.optional(Timestamp),
})
export const Scan = z.object({
  id: Id,
  type: ScanType,
  status: ScanStatus,
  issueCount: SeverityCount,
  target: z.optional(Target),
  hostCount: z.object({
    scannedHosts: z._default(z.int(), 0),
    affectedHosts: z._default(z.int(), 0),
    /** Excluded addresses of the target. Not included in other counts. */
    excludedHosts: z.optional(z.int()),
  }),
  createTime: Timestamp,
  updateTime: Timestamp,
  startTime: z.optional(Timestamp),
  completeTime: z.optional(Timestamp),
  progress: z.optional(ScanProgress),
  /** New and resolved issues compared with the previous scan. */
  changes: z.optional(z.object({ new: z.int(), resolved: z.int(), regressive: z.int() })),
  /** The user or API token that started it; absent if the server did. */
  startedBy: z.optional(z.string()),
  /** The issue that it retests; absent for scans of whole targets. */
  retestOf: z.optional(z.object({ id: Id, name: z.string() })),
  /** The agent that runs it; absent if the server does. */
  agent: z.optional(z.object({ id: Id, name: z.string() })),
})
export type Scan = z.infer<typeof Scan>

export const listScans = endpoint({
  method: 'GET',
  path: '/v1/scans',
  summary: 'List scans',
  description: 'Newest first.',
  input: z.object({
    ...Page,
    filter: z.optional(
      z.strictObject({
        targetId: z.optional(Id),
        status: listOf(ScanStatus),
        types: listOf(ScanType),
        createdAfter: z.optional(Timestamp),
      }),
    ),
  }),
  result: z.object({ scans: z.array(Scan), ...NextPage }),
})
export const getScan = endpoint({
  method: 'GET',
  path: '/v1/scans/:id',
  summary: 'Get a scan',
  description: 'Includes its progress.',
  input: z.object({ id: Id }),
  result: z.object({ scan: Scan }),
})
export const startScan = endpoint({
  method: 'POST',
  path: '/v1/scans',
  summary: 'Start a scan',
  description:
    "If a scan of the target is already active, the response is 409 with its ID. Outside the target's allowed hours, the scan waits unless `ignoreAllowedHours` is set.",
  takesKey: true,
  input: z.strictObject({ targetId: Id, ignoreAllowedHours: z.optional(z.boolean()) }),
  result: z.object({ scan: Scan }),
})
export const startScans = endpoint({
  method: 'POST',
  path: '/v1/scans/batch',
  summary: 'Start scans of several targets',
  description: 'Targets that cannot be scanned are skipped and reported.',
  input: z.strictObject({ targetIds: z.array(Id).check(z.minLength(1), z.maxLength(500)) }),
  result: z.object({ startedCount: z.int(), skipped: Skipped }),
})
export const resumeScan = endpoint({
  method: 'POST',
  path: '/v1/scans/:id/resume',
  summary: 'Resume a waiting scan',
  description: "Continues a scan that is waiting for its target's allowed hours.",
  input: z.strictObject({ id: Id }),
  result: z.object({ scan: Scan }),
})
export const cancelScan = endpoint({
  method: 'POST',
  path: '/v1/scans/:id/cancel',
  summary: 'Cancel a scan',
  description: 'The scan stops within two seconds and changes no further issues.',
  input: z.strictObject({ id: Id }),
  result: z.object({ scan: Scan }),
})
const EventLevel = z.enum(['LEVEL_INFO', 'LEVEL_WARN', 'LEVEL_ERROR'])
export const ScanEvent = z.object({ id: Id, time: Timestamp, level: EventLevel, message: z.string() })
export type ScanEvent = z.infer<typeof ScanEvent>
export const listScanEvents = endpoint({
  method: 'GET',
  path: '/v1/scans/:id/events',
  summary: "List a scan's events",
  description: 'The scan log, oldest first. `filter.level` sets the minimum level.',
  input: z.object({
    id: Id,
    ...Page,
    filter: z.optional(
      z.strictObject({ level: z.optional(EventLevel), query: z.optional(z.string().check(z.maxLength(200))) }),
    ),
  }),
  result: z.object({ events: z.array(ScanEvent), ...NextPage }),
})

export const ScanHostState = z.enum([
  /** At least one open issue. */
  'STATE_AFFECTED',
  /** Responded, without open issues. */
  'STATE_SCANNED',
  /** Responded, without open ports. */
  'STATE_NOTHING_OPEN',
  'STATE_NOT_REACHED',
])
export type ScanHostState = z.infer<typeof ScanHostState>
export const ScannedHost = z.object({
  address: z.string(),
  name: z.optional(z.string()),
  /** Absent if the address is not a known host. */
  hostId: z.optional(Id),
  state: ScanHostState,
  /** The scanner's reason, such as "port 80 open" or "no response from 12 ports". */
  reason: z.string(),
  issueCount: SeverityCount,
  /** Checks that were stopped on this host; their weaknesses are neither proved nor ruled out. At most 100. */
  stopped: z.array(z.object({ port: z.optional(z.int()), check: z.string(), reason: z.string() })),
})
export type ScannedHost = z.infer<typeof ScannedHost>
export const listScanHosts = endpoint({
  method: 'GET',
  path: '/v1/scans/:id/hosts',
  summary: "List a scan's hosts",
  description: 'Every address probed, in numeric order, with its result or the reason it was not reached.',
  input: z.object({
    id: Id,
    ...Page,
    filter: z.optional(
      z.strictObject({ states: listOf(ScanHostState), query: z.optional(z.string().check(z.maxLength(200))) }),
    ),
  }),
  result: z.object({
    hosts: z.array(ScannedHost),
    counts: z.object({
      affected: z.int(),
      scanned: z.int(),
      nothingOpen: z.int(),
      notReached: z.int(),
      excluded: z.int(),
    }),
    ...NextPage,
  }),
})

/** An issue in a comparison of two scans, with its hosts. */
export const ComparedIssue = z.object({
  id: Id,
  name: z.string(),
  category: SeverityCategory,
  score: z.number(),
  verification: z.enum(['VERIFICATION_VERIFIED', 'VERIFICATION_UNVERIFIED']),
  hosts: z.array(z.object({ id: Id, address: z.string(), name: z.optional(z.string()) })),
  /** Also present on other hosts of the target, so it is new or resolved only on these. */
  isElsewhere: z.boolean(),
})
export type ComparedIssue = z.infer<typeof ComparedIssue>
export const diffScan = endpoint({
  method: 'GET',
  path: '/v1/scans/:id/diff',
  summary: 'Compare a scan with an earlier one',
  description:
    'Compares with `baseScanId`, by default the previous completed scan of the same target. An issue that this scan could not check is listed under `notTested`, never under `resolved`.',
  input: z.object({ id: Id, baseScanId: z.optional(Id) }),
  result: z.object({
    /** Absent if there is no earlier scan; then every issue is new. */
    baseScan: z.optional(z.object({ id: Id, createTime: Timestamp })),
    new: z.array(ComparedIssue),
    resolved: z.array(ComparedIssue),
    regressive: z.array(ComparedIssue),
    /** Issues found by both scans on at least one host. */
    unchangedCount: z.int(),
    notTested: z.array(ComparedIssue),
  }),
})
/** PDF to read and share, JSON with all data, SARIF 2.1.0 for code hosting and finding management tools. */
export const ReportFormat = z.enum(['pdf', 'json', 'sarif'])
export type ReportFormat = z.infer<typeof ReportFormat>
/** Query of `GET /v1/scans/:id/report`, which returns the file itself. */
export const ReportQuery = z.strictObject({ download: z.optional(Flag), format: z._default(ReportFormat, 'pdf') })
