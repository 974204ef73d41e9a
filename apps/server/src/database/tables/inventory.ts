/** Hosts and their services and products. */
import type { Certificate, Criticality } from '@glacis/contract/host'
import type { Wfn } from '@glacis/contract/product'
import type { ColumnType, Generated } from 'kysely'
import type { Json, Numeric } from '#database/tables/kinds.ts'

/** inventory (host, service, product, host_product) */
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
