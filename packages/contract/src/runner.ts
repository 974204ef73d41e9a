/**
 * What a scan is told and what it says. The local worker and an agent in a closed network
 * speak these same words, so there is one way for a finding to become an issue.
 */
import { z } from 'zod'
import { Wfn } from '#inventory.ts'

const port = z.number().int().min(1).max(65_535)
const transport = z.enum(['tcp', 'udp'])
const text = (max: number) => z.string().max(max)

/** One address to look at. `names` are the host names it is known by; the first is used for SNI and Host. */
export const ScanHost = z.object({ address: z.string(), names: z.array(z.string()).default([]) })
export type ScanHost = z.infer<typeof ScanHost>

export const ScanProfile = z.enum(['gentle', 'standard', 'deep'])
export type ScanProfile = z.infer<typeof ScanProfile>

export const ScanJob = z.object({
  hosts: z.array(ScanHost),
  profile: ScanProfile.default('gentle'),
  /** Absent: the common 1,000. */
  ports: z.array(port).optional(),
  /** Networks (CIDR) that may be touched; nothing outside them is ever dialled. */
  allow: z.array(z.string()),
  /** Networks (CIDR) and `address:port` pairs that are refused even where `allow` holds them. */
  deny: z.array(z.string()).default([]),
  /** Path below which checks of a URL target begin; `/` otherwise. */
  basePath: z.string().default('/'),
})
export type ScanJob = z.input<typeof ScanJob>

/** A host answered, or why it did not. */
export const HostObservation = z.object({
  kind: z.literal('host'),
  address: z.string(),
  names: z.array(z.string()),
  reached: z.boolean(),
  /** In words: "port 80 open", "no answer on 12 ports", "refused: outside the target". */
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
  certificate: z
    .object({
      subject: z.string(),
      issuer: z.string(),
      validFrom: z.string(),
      validTo: z.string(),
      names: z.array(z.string()),
      selfSigned: z.boolean(),
      fingerprint: z.string(),
    })
    .optional(),
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
