/** Agents: scanners that customers run inside closed networks. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { InventoryContainer, InventorySocket, PackageManager } from '#machine.ts'
import {
  AllowedNetworks,
  Duration,
  Empty,
  Flag,
  Id,
  listOf,
  Name,
  NextPage,
  Page,
  Timestamp,
  UpdateMask,
} from '#primitives.ts'
import { SeverityCategory } from '#threat.ts'

export const AgentStatus = z.enum(['STATUS_CONNECTED', 'STATUS_DISCONNECTED'])
export type AgentStatus = z.infer<typeof AgentStatus>
export const Agent = z.object({
  id: Id,
  name: Name,
  /** Present only in the response that creates or rotates it. */
  token: z.optional(z.string()),
  status: AgentStatus,
  /** Round-trip time of a heartbeat; present only while connected. */
  latency: z.optional(Duration),
  createTime: Timestamp,
  updateTime: Timestamp,
  /** Absent until the agent has connected for the first time. */
  lastSeenTime: z.optional(Timestamp),
  version: z.optional(z.string()),
  /** Operating system and processor, as in `linux x64`. */
  system: z.optional(z.string()),
  hostname: z.optional(z.string()),
  /** Networks (CIDR) of its machine's interfaces. */
  networks: z.optional(z.array(z.string())),
  targetCount: z.optional(z.int()),
  runningJobCount: z.optional(z.int()),
  /** Problems an operator should fix on its machine, such as an old version or a wrong clock. */
  problems: z.optional(z.array(z.string())),
  /** Expiry of an enrollment token that hasn't been used. */
  tokenExpireTime: z.optional(Timestamp),
  /** Name of the member who created it or last rotated its token. Its access ends with theirs. */
  createdBy: z.optional(z.string()),
  /** When its access ends; absent if it doesn't. */
  expireTime: z.optional(Timestamp),
  /** Addresses and networks from which it can connect; empty for all. */
  allowedNetworks: z.optional(z.array(z.string())),
  /** Whether it reports the packages, listening sockets, and containers of its machine. */
  inventory: z.optional(z.boolean()),
})
export type Agent = z.infer<typeof Agent>

/** Limits of an agent's access. */
const limits = {
  /** Addresses or networks in CIDR notation. Default: all. */
  allowedNetworks: z.optional(AllowedNetworks),
  /** Default: never. */
  expireTime: z.optional(z.nullable(Timestamp)),
} as const
const AgentResponse = z.object({ agent: Agent })

export const listAgents = endpoint({
  method: 'GET',
  path: '/v1/agents',
  summary: 'List agents',
  description: 'Newest first.',
  input: z.object({
    ...Page,
    filter: z.optional(
      z.strictObject({ query: z.optional(z.string().check(z.maxLength(200))), status: listOf(AgentStatus) }),
    ),
  }),
  result: z.object({ agents: z.array(Agent), ...NextPage }),
})
export const getAgent = endpoint({
  method: 'GET',
  path: '/v1/agents/:id',
  summary: 'Get an agent',
  input: z.object({ id: Id }),
  result: AgentResponse,
})
export const createAgent = endpoint({
  method: 'POST',
  path: '/v1/agents',
  summary: 'Register an agent',
  description: 'Returns the enrollment token once. The token is valid for 24 hours and can be used once.',
  input: z.strictObject({ agent: z.strictObject({ name: Name, ...limits }) }),
  result: AgentResponse,
})
export const updateAgent = endpoint({
  method: 'PATCH',
  path: '/v1/agents/:id',
  summary: 'Update an agent',
  description: 'Changes only the fields named in `updateMask.paths`.',
  input: z.strictObject({
    id: Id,
    agent: z.strictObject({
      name: z.optional(Name),
      /** `false` deletes what it has reported. Default: `false`. */
      inventory: z.optional(z.boolean()),
      ...limits,
    }),
    updateMask: UpdateMask,
  }),
  result: AgentResponse,
})
export const deleteAgent = endpoint({
  method: 'DELETE',
  path: '/v1/agents/:id',
  summary: 'Delete an agent',
  description:
    'Revokes its key immediately. Its targets are reassigned to `replacementId`; without one, they are not scanned until you choose another agent.',
  input: z.object({ id: Id, replacementId: z.optional(Id) }),
  result: Empty,
})
export const rotateAgentToken = endpoint({
  method: 'POST',
  path: '/v1/agents/:id/token',
  summary: "Rotate an agent's token",
  description:
    'Returns a new token once. The old key works until the new token is used, for at most 24 hours; `revokeOld` revokes it immediately.',
  input: z.strictObject({ id: Id, revokeOld: z._default(Flag, false) }),
  result: AgentResponse,
})

export const InstallSystem = z.enum(['docker', 'systemd', 'windows', 'kubernetes'])
export type InstallSystem = z.infer<typeof InstallSystem>
export const getAgentInstall = endpoint({
  method: 'GET',
  path: '/v1/agents/:id/install',
  summary: 'Get install commands for an agent',
  description:
    'The commands prompt for the token, so that it does not appear in the shell history or the process list.',
  input: z.object({ id: Id, system: z._default(InstallSystem, 'systemd') }),
  result: z.object({ command: z.string(), notes: z.array(z.string()) }),
})

/** Why a connection ended. */
export const DisconnectReason = z.enum(['REASON_STOPPED', 'REASON_LOST', 'REASON_REVOKED', 'REASON_REPLACED'])
export type DisconnectReason = z.infer<typeof DisconnectReason>
export const AgentConnection = z.object({
  id: Id,
  connectTime: Timestamp,
  /** Absent while connected. */
  disconnectTime: z.optional(Timestamp),
  reason: z.optional(DisconnectReason),
  version: z.string(),
  /** Remote address, as observed by the server. */
  address: z.string(),
})
export type AgentConnection = z.infer<typeof AgentConnection>
export const listAgentConnections = endpoint({
  method: 'GET',
  path: '/v1/agents/:id/connections',
  summary: "List an agent's connections",
  description: 'Newest first, with the reason each connection ended.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ connections: z.array(AgentConnection), ...NextPage }),
})

export const AgentJobState = z.enum([
  'STATE_RUNNING',
  'STATE_DONE',
  'STATE_RETURNED',
  'STATE_LOST',
  'STATE_CANCELLED',
  'STATE_FAILED',
])
export type AgentJobState = z.infer<typeof AgentJobState>
export const AgentJob = z.object({
  id: Id,
  scanId: Id,
  targetId: Id,
  targetName: z.string(),
  state: AgentJobState,
  hostCount: z.int(),
  startTime: Timestamp,
  endTime: z.optional(Timestamp),
  /** Why the job failed; empty otherwise. */
  error: z.string(),
})
export type AgentJob = z.infer<typeof AgentJob>
export const listAgentJobs = endpoint({
  method: 'GET',
  path: '/v1/agents/:id/jobs',
  summary: "List an agent's jobs",
  description: 'The scan batches the agent has leased, newest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ jobs: z.array(AgentJob), ...NextPage }),
})

/** A package that an agent's package manager lists, and the CVEs that a newer version fixes. */
export const AgentPackage = z.object({
  manager: PackageManager,
  name: z.string(),
  version: z.string(),
  architecture: z.string(),
  /** Name of the source package; advisories refer to it. */
  source: z.string(),
  vulnerabilities: z.array(
    z.object({
      /** The CVE ID. */
      key: z.string(),
      /** The first version that contains the fix. */
      fixedVersion: z.string(),
      score: z.number(),
      category: SeverityCategory,
      /** The issue of this CVE; absent if the agent scans no host with an address of its machine. */
      issueId: z.optional(Id),
    }),
  ),
})
export type AgentPackage = z.infer<typeof AgentPackage>
export const AgentInventory = z.object({
  /** Operating system, such as `Debian GNU/Linux 12 (bookworm)`. */
  system: z.string(),
  kernel: z.string(),
  /** Whether advisories of its distribution are matched: Debian, Ubuntu, Enterprise Linux, and Alpine. */
  isMatched: z.boolean(),
  /** When the agent last confirmed it. */
  reportTime: Timestamp,
  packageCount: z.int(),
  vulnerablePackageCount: z.int(),
  sockets: z.array(z.omit(InventorySocket, { kind: true })),
  containers: z.array(z.omit(InventoryContainer, { kind: true })),
  /** Hosts with an address of its machine, in targets that the agent scans. */
  hosts: z.array(z.object({ id: Id, address: z.string() })),
})
export type AgentInventory = z.infer<typeof AgentInventory>

export const getAgentInventory = endpoint({
  method: 'GET',
  path: '/v1/agents/:id/inventory',
  summary: "Get the inventory of an agent's machine",
  description: 'Listening sockets and containers. Empty until the agent has reported it.',
  input: z.object({ id: Id }),
  result: z.object({ inventory: z.optional(AgentInventory) }),
})
export const listAgentPackages = endpoint({
  method: 'GET',
  path: '/v1/agents/:id/packages',
  summary: "List packages installed on an agent's machine",
  description: 'Vulnerable packages first, most severe first, then by name. `filter.query` matches part of a name.',
  input: z.object({
    id: Id,
    ...Page,
    filter: z.optional(z.strictObject({ query: z.optional(z.string().check(z.maxLength(200))) })),
  }),
  result: z.object({ packages: z.array(AgentPackage), ...NextPage }),
})
