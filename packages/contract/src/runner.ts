/**
 * Jobs and observations of scans, and the agent protocol. Local workers and agents use the same types, so there is only
 * one way for findings to become issues.
 */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Certificate } from '#host.ts'
import { Wfn } from '#product.ts'
import { CheckPermission, Duration, Empty, Id, ScanProfile, Timestamp } from '#primitives.ts'

const port = z.int().check(z.minimum(1), z.maximum(65_535))
const transport = z.enum(['tcp', 'udp'])
const text = (max: number) => z.string().check(z.maxLength(max))

/** An address to scan. `names` are its hostnames; the first is used for SNI and the Host header. */
export const ScanHost = z.object({ address: z.string(), names: z._default(z.array(z.string()), []) })
export type ScanHost = z.infer<typeof ScanHost>

export { CheckPermission, ScanProfile }

export const ScanJob = z.object({
  hosts: z.array(ScanHost),
  /** The pace: rates, concurrency, and default ports. It doesn't affect which checks run. */
  profile: z._default(ScanProfile, 'gentle'),
  /** Kinds of intrusive checks that may run. */
  permissions: z._default(z.array(CheckPermission), []),
  /** Maximum connections and requests per second per host. Default: the profile's. */
  ratePerHost: z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
  /** Default: the 1,100 most common ports; with the deep profile all ports. */
  ports: z.optional(z.array(port)),
  /** Networks (CIDR) that may be scanned. Nothing outside them is ever contacted. */
  allow: z.array(z.string()),
  /** Networks (CIDR) and `address:port` pairs that are excluded even if `allow` contains them. */
  deny: z._default(z.array(z.string()), []),
  /** Base path of checks for a URL target; `/` otherwise. */
  basePath: z._default(z.string(), '/'),
  /** IDs of the checks to run. Default: all. If empty, the scan only identifies software. */
  checks: z.optional(z.array(z.string())),
})
export type ScanJob = z.input<typeof ScanJob>

/** Whether a host responded, and the reason. */
export const HostObservation = z.object({
  kind: z.literal('host'),
  address: z.string(),
  names: z.array(z.string()),
  reached: z.boolean(),
  /** Such as "port 80 open", "no response from 12 ports", "refused: outside the target". */
  reason: z.string(),
  /** Number of scanned ports that were open, closed, filtered, or undecided because of local errors. */
  ports: z.optional(z.object({ open: z.number(), closed: z.number(), filtered: z.number(), unknown: z.number() })),
  /** Nearly every port is open, so only services that responded are reported. */
  answersEverything: z._default(z.boolean(), false),
})
export const ServiceObservation = z.object({
  kind: z.literal('service'),
  address: z.string(),
  port,
  transport,
  /** `http`, `ssh`, `redis`, …; empty if not recognized. */
  protocol: z.string(),
  tls: z.boolean(),
  banner: text(4096),
  certificate: z.optional(Certificate),
  http: z.optional(z.object({ status: z.int(), title: text(300), server: text(300) })),
})
/** Software identified on a port. `quality` is the confidence: 80 for a protocol response or exact banner, 30–50 for a distribution build without revision. */
export const TechnologyObservation = z.object({
  kind: z.literal('technology'),
  address: z.string(),
  port,
  transport,
  name: z.string(),
  wfn: Wfn,
  /** The distribution's package revision, such as `Debian-2+deb12u10`, separate from the version. */
  revision: z.optional(z.string()),
  evidence: text(1000),
  quality: z.int().check(z.minimum(0), z.maximum(100)),
})
export const FindingObservation = z.object({
  kind: z.literal('finding'),
  address: z.string(),
  port: z.optional(port),
  transport: z.optional(transport),
  /** ID of the check (template ID). */
  check: z.string(),
  /** Key of the threat: the check's CVE if it has one, otherwise the check's ID. */
  threat: z.string(),
  /** Port and path class. Findings of a check at the same location are one occurrence. */
  location: z.string().check(z.maxLength(500)),
  quality: z.int().check(z.minimum(0), z.maximum(100)),
  request: z.optional(text(16_384)),
  /** The evidence; secrets are masked. */
  evidence: text(16_384),
  highlights: z._default(z.array(text(500)).check(z.maxLength(20)), []),
  /** Values that the check extracts, such as a version; secrets are masked. */
  extracted: z.optional(z.array(text(500)).check(z.maxLength(20))),
  /** Shell command that reproduces the weakness and changes nothing; secrets are masked. */
  reproduce: z.optional(text(4000)),
})
/**
 * Which checks completed where, so that issues they no longer report can be resolved.
 * Without `port`, the check applies to the whole host.
 */
export const CoverageObservation = z.object({
  kind: z.literal('coverage'),
  address: z.string(),
  port: z.optional(port),
  /** IDs of checks whose requests all received responses. */
  checks: z.array(z.string()),
  /** Checks that exceeded a budget or were ended by the watchdog. They are neither found nor completed. */
  stopped: z.optional(z.array(z.object({ check: z.string(), reason: text(300) }))),
})
/** Relevant checks that did not run. Without `port`, on the whole host. */
export const SkippedObservation = z.object({
  kind: z.literal('skipped'),
  address: z.string(),
  port: z.optional(port),
  /** The permission that the checks need. */
  permission: CheckPermission,
  /** IDs of the checks. */
  checks: z.array(z.string()),
})
/** A match that was withheld because the response proves nothing. */
export const DoubtedObservation = z.object({
  kind: z.literal('doubted'),
  address: z.string(),
  port: z.optional(port),
  check: z.string(),
  location: text(500),
  /** Such as "the service responds to nonexistent paths in the same way". */
  reason: text(300),
})
/** Ports that refused a connection twice, during the sweep and at the end, while the host responded on others. */
export const ClosedObservation = z.object({ kind: z.literal('closed'), address: z.string(), ports: z.array(port) })
export const ProgressObservation = z.object({
  kind: z.literal('progress'),
  phase: z.enum(['PHASE_DISCOVERY', 'PHASE_PORTS', 'PHASE_IDENTIFY', 'PHASE_CHECKS']),
  /** Completed addresses of the job. */
  hostsDone: z.int(),
  /** The host of the job that was just completed, with the addresses it resolved to. Only between processes. */
  finished: z.optional(
    z.object({
      host: z.string(),
      addresses: z.array(z.string()),
      /** Ports that used to be open and refused a connection; tried again at the end of the batch. */
      closedCandidates: z.array(z.object({ address: z.string(), ports: z.array(port) })),
    }),
  ),
})
/** A message for the operator: a rejected address, a local error, an exhausted budget. */
export const ProblemObservation = z.object({
  kind: z.literal('problem'),
  address: z.optional(z.string()),
  level: z.enum(['info', 'warn', 'error']),
  message: text(1000),
})
export const Observation = z.discriminatedUnion('kind', [
  HostObservation,
  ServiceObservation,
  TechnologyObservation,
  FindingObservation,
  CoverageObservation,
  SkippedObservation,
  DoubtedObservation,
  ClosedObservation,
  ProgressObservation,
  ProblemObservation,
])
export type Observation = z.infer<typeof Observation>

/** Version of the agent protocol. Incremented when older agents or servers become incompatible. */
export const runnerProtocol = 1
/** Limits on what a server accepts from an agent. */
export const runnerLimits = {
  /** Observations per part. */
  observationsMax: 500,
  /** Parts per result. */
  partsMax: 400,
  /** Total size of a result, in bytes. */
  resultBytesMax: 64 * 1024 * 1024,
} as const

/** `POST /v1/agent/connect`, with the enrollment token or the key as bearer token. */
export const connectAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/connect',
  summary: 'Connect an agent',
  description: "Exchanges an enrollment token for the agent's key, once.",
  input: z.strictObject({
    protocol: z.int().check(z.minimum(1)),
    version: text(40),
    system: text(80),
    hostname: text(253),
    networks: z._default(z.array(text(64)).check(z.maxLength(64)), []),
    /** Unique per process: leases of an earlier process of the agent are released. */
    instance: Id,
    /** The agent's own clock. */
    time: Timestamp,
  }),
  result: z.object({
    agentId: Id,
    name: z.string(),
    /** Present only when an enrollment token was exchanged for it. */
    key: z.optional(z.string()),
    heartbeatInterval: Duration,
    latestVersion: z.string(),
    serverTime: Timestamp,
  }),
})
export const heartbeatAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/heartbeat',
  summary: 'Send a heartbeat',
  input: z.strictObject({ latency: z.optional(Duration), time: Timestamp }),
  result: z.object({
    serverTime: Timestamp,
    latestVersion: z.string(),
    /** Whether the agent reports the inventory of its machine. */
    inventory: z.optional(z.boolean()),
  }),
})
export const disconnectAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/disconnect',
  summary: 'Disconnect an agent',
  description: "Returns the agent's jobs to the queue.",
  input: z.strictObject({}),
  result: Empty,
})

/** A batch of a scan, leased to one agent. */
export const RunnerJob = z.object({
  id: Id,
  scanId: Id,
  /** Addresses, or one hostname that the agent resolves in its own network. */
  hosts: z.array(ScanHost).check(z.minLength(1), z.maxLength(256)),
  /** The scan job without `hosts` and `allow`, which the agent derives from the addresses above. */
  settings: z.omit(ScanJob, { hosts: true, allow: true }),
  knownOpen: z.record(z.string(), z.array(port)),
  /** Networks (CIDR) this installation may scan; absent if unrestricted. */
  networks: z.optional(z.array(z.string())),
  /** Digest of the packs to use. */
  packs: z.string(),
  /** Duration of the lease. Progress reports renew it; when it expires, the job is assigned again. */
  leaseDuration: Duration,
})
export type RunnerJob = z.infer<typeof RunnerJob>
/** Path of the packs with a digest: gzipped lines of `{kind, name, content}`. The digest is the SHA-256 of the file. */
export const packsPath = (digest: string) => `/v1/agent/packs/${digest}`
export const PackLine = z.object({ kind: z.enum(['checks', 'fingerprints']), name: z.string(), content: z.string() })
export const takeAgentJob = endpoint({
  method: 'GET',
  path: '/v1/agent/jobs',
  summary: 'Lease a job',
  description: 'Waits up to 20 seconds for a job.',
  input: z.object({}),
  result: z.object({ job: z.optional(RunnerJob) }),
})
export const progressAgentJob = endpoint({
  method: 'POST',
  path: '/v1/agent/jobs/:id/progress',
  summary: 'Report job progress',
  description: 'Renews the lease. `isCancelled` in the response means the agent must stop the job.',
  input: z.strictObject({
    id: Id,
    phase: z.optional(ProgressObservation.shape.phase),
    hostsDone: z.optional(z.int().check(z.minimum(0))),
  }),
  result: z.object({ isCancelled: z.boolean() }),
})
export const reportAgentJob = endpoint({
  method: 'POST',
  path: '/v1/agent/jobs/:id/result',
  summary: 'Report job results',
  description:
    'Uploads one part of the results. The last part completes the job; all parts are ingested together or not at all.',
  input: z.strictObject({
    id: Id,
    /** Starts at 0, without gaps. Parts already received are ignored. */
    part: z.number().check(z.int(), z.minimum(0), z.maximum(runnerLimits.partsMax - 1)),
    isLast: z.boolean(),
    observations: z.array(Observation).check(z.maxLength(runnerLimits.observationsMax)),
    /** Why the job failed; only with the last part. */
    error: z.optional(text(1000)),
  }),
  result: Empty,
})
