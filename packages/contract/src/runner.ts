/**
 * What a scan is told and what it says. The local worker and an agent in a closed network
 * speak these same words, so there is one way for a finding to become an issue.
 */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Certificate } from '#host.ts'
import { Wfn } from '#product.ts'
import { Duration, Empty, Id, ScanProfile, Timestamp } from '#primitives.ts'

const port = z.number().int().min(1).max(65_535)
const transport = z.enum(['tcp', 'udp'])
const text = (max: number) => z.string().max(max)

/** One address to look at. `names` are the host names it is known by; the first is used for SNI and Host. */
export const ScanHost = z.object({ address: z.string(), names: z.array(z.string()).default([]) })
export type ScanHost = z.infer<typeof ScanHost>

export { ScanProfile }

export const ScanJob = z.object({
  hosts: z.array(ScanHost),
  profile: ScanProfile.default('gentle'),
  /** Most connections, and most requests, per second towards each host; absent: what the profile says. */
  ratePerHost: z.number().int().min(1).max(10_000).optional(),
  /** Absent: the common 1,000; in the deep profile every port. */
  ports: z.array(port).optional(),
  /** Networks (CIDR) that may be touched; nothing outside them is ever dialled. */
  allow: z.array(z.string()),
  /** Networks (CIDR) and `address:port` pairs that are refused even where `allow` holds them. */
  deny: z.array(z.string()).default([]),
  /** Path below which checks of a URL target begin; `/` otherwise. */
  basePath: z.string().default('/'),
  /** Ids of the only checks to run. Absent: all of them; empty: none, software is recognised alone. */
  checks: z.array(z.string()).optional(),
})
export type ScanJob = z.input<typeof ScanJob>

/** A host answered, or why it did not. */
export const HostObservation = z.object({
  kind: z.literal('host'),
  address: z.string(),
  names: z.array(z.string()),
  reached: z.boolean(),
  /** In words: "port 80 open", "no response from 12 ports", "refused: outside the target". */
  reason: z.string(),
  /** Of the ports asked: how many were open, closed, filtered, and not decided for local reasons. */
  ports: z.object({ open: z.number(), closed: z.number(), filtered: z.number(), unknown: z.number() }).optional(),
  /** Nearly every port is open: only services that spoke are reported. */
  answersEverything: z.boolean().default(false),
})
export const ServiceObservation = z.object({
  kind: z.literal('service'),
  address: z.string(),
  port,
  transport,
  /** `http`, `ssh`, `redis`, …; empty when not recognised. */
  protocol: z.string(),
  tls: z.boolean(),
  banner: text(4096),
  certificate: Certificate.optional(),
  http: z.object({ status: z.number().int(), title: text(300), server: text(300) }).optional(),
})
/** Software recognised on a port. `quality` says how sure: 80 protocol answer or exact banner, 30–50 distribution build without revision. */
export const TechnologyObservation = z.object({
  kind: z.literal('technology'),
  address: z.string(),
  port,
  transport,
  name: z.string(),
  wfn: Wfn,
  /** A distribution's own revision, such as `Debian-2+deb12u10`, kept apart from the version. */
  revision: z.string().optional(),
  evidence: text(1000),
  quality: z.number().int().min(0).max(100),
})
export const FindingObservation = z.object({
  kind: z.literal('finding'),
  address: z.string(),
  port: port.optional(),
  transport: transport.optional(),
  /** Id of the check (template id). */
  check: z.string(),
  /** Key of the threat: the CVE where the check names one, else the check's id. */
  threat: z.string(),
  /** Port and path class: two findings of one check at one location are one occurrence. */
  location: z.string().max(500),
  quality: z.number().int().min(0).max(100),
  request: text(16_384).optional(),
  /** What proves it; secrets are masked. */
  evidence: text(16_384),
  highlights: z.array(text(500)).max(20).default([]),
})
/**
 * Which checks ran to their end where, so that what they no longer report may be resolved.
 * `port` absent: the check is about the whole host.
 */
export const CoverageObservation = z.object({
  kind: z.literal('coverage'),
  address: z.string(),
  port: port.optional(),
  /** Ids of checks all of whose requests were answered. */
  checks: z.array(z.string()),
})
/** Ports that refused a connection twice, at the sweep and at the end, while the host answered elsewhere. */
export const ClosedObservation = z.object({ kind: z.literal('closed'), address: z.string(), ports: z.array(port) })
export const ProgressObservation = z.object({
  kind: z.literal('progress'),
  phase: z.enum(['PHASE_DISCOVERY', 'PHASE_PORTS', 'PHASE_IDENTIFY', 'PHASE_CHECKS']),
  /** Addresses of the job that are finished. */
  hostsDone: z.number().int(),
})
/** Something an operator should read: a refused address, local errors, a budget that was spent. */
export const ProblemObservation = z.object({
  kind: z.literal('problem'),
  address: z.string().optional(),
  level: z.enum(['info', 'warn', 'error']),
  message: text(1000),
})
export const Observation = z.discriminatedUnion('kind', [
  HostObservation,
  ServiceObservation,
  TechnologyObservation,
  FindingObservation,
  CoverageObservation,
  ClosedObservation,
  ProgressObservation,
  ProblemObservation,
])
export type Observation = z.infer<typeof Observation>

/** What an agent and a server of this release say to each other; raised when older ones no longer understand. */
export const runnerProtocol = 1
/** Largest sizes that a server takes from an agent. */
export const runnerLimits = {
  /** Observations of one part of a result. */
  observationsMax: 500,
  /** Parts of one result. */
  partsMax: 400,
  /** Bytes of all parts of one result. */
  resultBytesMax: 64 * 1024 * 1024,
} as const

/** `POST /v1/agent/connect`, with the enrolment token or the key as bearer. */
export const connectAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/connect',
  summary: 'Connect an agent',
  description: 'An enrollment token is exchanged for the key of the agent, once.',
  input: z.strictObject({
    protocol: z.number().int().min(1),
    version: text(40),
    system: text(80),
    hostname: text(253),
    networks: z.array(text(64)).max(64).default([]),
    /** Made anew by each process: what an earlier one held is given back. */
    instance: Id,
    /** The agent's own clock. */
    time: Timestamp,
  }),
  result: z.object({
    agentId: Id,
    name: z.string(),
    /** Present when a token was swapped for it. It is not shown again. */
    key: z.string().optional(),
    heartbeatInterval: Duration,
    latestVersion: z.string(),
    serverTime: Timestamp,
  }),
})
export const heartbeatAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/heartbeat',
  summary: 'Send a heartbeat',
  input: z.strictObject({ latency: Duration.optional(), time: Timestamp }),
  result: z.object({ serverTime: Timestamp, latestVersion: z.string() }),
})
export const disconnectAgent = endpoint({
  method: 'POST',
  path: '/v1/agent/disconnect',
  summary: 'Disconnect an agent',
  description: 'Returns the jobs of the agent to the queue.',
  input: z.strictObject({}),
  result: Empty,
})

/** A part of a scan, leased to one agent. */
export const RunnerJob = z.object({
  id: Id,
  scanId: Id,
  /** Addresses, or one host name, which the agent resolves in its own network. */
  hosts: z.array(ScanHost).min(1).max(256),
  /** The job as the scanner takes it, but for hosts and allow, which follow from `hosts`. */
  settings: ScanJob.omit({ hosts: true, allow: true }),
  knownOpen: z.record(z.string(), z.array(port)),
  /** Networks (CIDR) that this installation may touch at all; absent where it may touch any. */
  networks: z.array(z.string()).optional(),
  /** Digest of the packs that the scan is made with. */
  packs: z.string(),
  /** Renewed by each progress; after so long without one the job goes to the next taker. */
  leaseDuration: Duration,
})
export type RunnerJob = z.infer<typeof RunnerJob>
/** Where an agent gets the packs of a digest: gzip over lines of `{kind, name, content}`; the digest is the SHA-256 of the file. */
export const packsPath = (digest: string) => `/v1/agent/packs/${digest}`
export const PackLine = z.object({ kind: z.enum(['checks', 'fingerprints']), name: z.string(), content: z.string() })
export const takeAgentJob = endpoint({
  method: 'GET',
  path: '/v1/agent/jobs',
  summary: 'Lease a job',
  description: 'Waits up to 20 seconds for a job.',
  input: z.object({}),
  result: z.object({ job: RunnerJob.optional() }),
})
export const progressAgentJob = endpoint({
  method: 'POST',
  path: '/v1/agent/jobs/:id/progress',
  summary: 'Report job progress',
  description: 'Renews the lease. `isCancelled` in the response means the agent must stop the job.',
  input: z.strictObject({
    id: Id,
    phase: ProgressObservation.shape.phase.optional(),
    hostsDone: z.number().int().min(0).optional(),
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
    /** From 0, without gaps. A part that came already is ignored. */
    part: z
      .number()
      .int()
      .min(0)
      .max(runnerLimits.partsMax - 1),
    isLast: z.boolean(),
    observations: z.array(Observation).max(runnerLimits.observationsMax),
    /** Why the job could not be done; only with the last part. */
    error: text(1000).optional(),
  }),
  result: Empty,
})
