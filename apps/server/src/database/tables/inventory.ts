/** Hosts and their services and products. */
import type { Certificate, Criticality } from '@glacis/contract/host'
import type { Wfn } from '@glacis/contract/product'
import type { ColumnType, Generated } from 'kysely'
import type { Json, Numeric } from '#database/tables/kinds.ts'

/** inventory (all tables of this file) */
export interface HostTable {
  account_id: string
  id: string
  target_id: string
  address: string
  name: string
  first_seen_at: Date
  last_seen_at: Date
  last_checked_at: Date
  updated_at: Date
  owner: Generated<string>
  criticality: Generated<Criticality>
  notes: Generated<string>
  merged_into: Generated<string | null>
}
export interface ServiceTable {
  account_id: string
  host_id: string
  port: number
  transport: 'tcp' | 'udp'
  protocol: string
  tls: boolean
  banner: string
  product: string
  first_seen_at: Date
  last_seen_at: Date
  gone_at: Date | null
  certificate: ColumnType<Certificate | null, string | null | undefined, string | null>
}
export interface ProductTable {
  account_id: string
  id: string
  key: string
  name: string
  version: string
  part: string
  vendor: string
  product: string
  wfn: Json<Wfn>
  min_notification_severity: Generated<Numeric>
  subject: Generated<string>
  watched: Generated<boolean>
  /** A day, as text. */
  end_on: ColumnType<string | null, string | null | undefined, string | null>
  is_over: Generated<boolean>
  is_end_known: Generated<boolean>
  latest: Generated<string>
  /** Number of hosts it runs on now. */
  hosts: Generated<number>
  created_at: Date
  updated_at: Date
}
export interface HostProductTable {
  account_id: string
  host_id: string
  product_id: string
  port: number
  revision: string
  evidence: string
  quality: number
  first_seen_at: Date
  last_seen_at: Date
  gone_at: Date | null
}

/** What an agent reported about its own machine. */
export interface AgentInventoryTable {
  account_id: string
  agent_id: string
  /** Digest of the reported items, as computed by the agent. */
  digest: string
  is_complete: boolean
  system: string
  release: string
  kernel: string
  addresses: string[]
  received_at: Date
}
export interface AgentPackageTable {
  account_id: string
  agent_id: string
  manager: 'dpkg' | 'rpm' | 'apk'
  name: string
  version: string
  architecture: string
  source: string
  source_version: string
  /** CVEs with a fix in a newer version. */
  threats: ColumnType<PackageThreat[], string | undefined, string>
  /** The highest score of these threats; 0 without threats. */
  score: Generated<Numeric>
}
export interface PackageThreat {
  readonly key: string
  readonly fixedVersion: string
}
export interface AgentSocketTable {
  account_id: string
  agent_id: string
  transport: 'tcp' | 'udp'
  address: string
  port: number
  process: string
}
export interface AgentContainerTable {
  account_id: string
  agent_id: string
  container_id: string
  name: string
  image: string
  image_id: string
  ports: number[]
}
