/** Hosts found in targets, and their services. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Id, listOf, NextPage, Page, SeverityCount, Timestamp, UpdateMask } from '#primitives.ts'
import { Product, Wfn } from '#product.ts'
import { Target } from '#target.ts'
import { SeverityCategory } from '#threat.ts'

/** TLS properties of a service. */
export const Certificate = z.object({
  subject: z.string(),
  issuer: z.string(),
  validFrom: z.string(),
  validTo: z.string(),
  names: z.array(z.string()),
  selfSigned: z.boolean(),
  fingerprint: z.string(),
})
export type Certificate = z.infer<typeof Certificate>

export const Service = z.object({
  port: z.number().int(),
  transport: z.enum(['tcp', 'udp']),
  /** Application protocol, such as `http`, `ssh`, `redis`; empty if not recognized. */
  protocol: z.string(),
  tls: z.boolean(),
  product: z.string().optional(),
  banner: z.string().optional(),
  certificate: Certificate.optional(),
  /** On a merged host: the address that the service belongs to. */
  address: z.string().optional(),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
})
export type Service = z.infer<typeof Service>

export const InventoryItem = z.object({ wfn: Wfn, product: Product.optional(), port: z.number().int().optional() })

/** How important a host is to its owner; affects the priority of its issues. */
export const Criticality = z.enum(['CRITICALITY_LOW', 'CRITICALITY_NORMAL', 'CRITICALITY_HIGH'])
export type Criticality = z.infer<typeof Criticality>

export const Host = z.object({
  id: Id,
  address: z.string(),
  /** Hostname used to reach the address, if any. */
  name: z.string().optional(),
  target: Target.optional(),
  inventory: z.array(InventoryItem),
  services: z.array(Service).optional(),
  issueCount: SeverityCount.default({ critical: 0, high: 0, medium: 0, low: 0 }),
  createTime: Timestamp,
  updateTime: Timestamp,
  lastCheckTime: Timestamp.optional(),
  /** When it last responded to a scan. */
  lastSeenTime: Timestamp.optional(),
  /** Responsible person or team, as free text; may be empty. */
  owner: z.string().optional(),
  criticality: Criticality.optional(),
  notes: z.string().optional(),
  /** Hosts that a user marked as the same machine. */
  merged: z.array(z.object({ id: Id, address: z.string(), targetId: Id })).optional(),
})
export type Host = z.infer<typeof Host>

export const HostOrder = z.enum([
  'ORDER_BY_MOST_RECENT',
  'ORDER_BY_ADDRESS',
  'ORDER_BY_LAST_CHECKED',
  'ORDER_BY_FIRST_SEEN',
])
export type HostOrder = z.infer<typeof HostOrder>
export const listHosts = endpoint({
  method: 'GET',
  path: '/v1/hosts',
  summary: 'List hosts',
  description:
    'Newest first unless `orderBy` is set. `filter.query` matches part of an address, name or product, or a port written as `port:443`.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        targetId: Id.optional(),
        query: z.string().max(200).optional(),
        productId: Id.optional(),
        newSince: Timestamp.optional(),
        /** Hosts that haven't responded since this time. */
        notSeenSince: Timestamp.optional(),
        /** Hosts of targets with one of these tags. */
        tagIds: listOf(Id),
        /** Hosts with an open issue of one of these severities. */
        severities: listOf(SeverityCategory),
        criticalities: listOf(Criticality),
      })
      .optional(),
    orderBy: HostOrder.optional(),
  }),
  result: z.object({ hosts: z.array(Host), ...NextPage }),
})

export const getHost = endpoint({
  method: 'GET',
  path: '/v1/hosts/:id',
  summary: 'Get a host',
  description: 'Includes its services and software.',
  input: z.object({ id: Id }),
  result: z.object({ host: Host }),
})

export const updateHost = endpoint({
  method: 'PATCH',
  path: '/v1/hosts/:id',
  summary: 'Update a host',
  description: 'Changes only the fields named in `updateMask.paths`: `owner`, `criticality` or `notes`.',
  input: z.strictObject({
    id: Id,
    host: z.strictObject({
      owner: z.string().max(200).optional(),
      criticality: Criticality.optional(),
      notes: z.string().max(4000).optional(),
    }),
    updateMask: UpdateMask,
  }),
  result: z.object({ host: Host }),
})

export const mergeHosts = endpoint({
  method: 'POST',
  path: '/v1/hosts/:id/merge',
  summary: 'Merge hosts',
  description: 'Marks other hosts as the same machine. They are removed from lists, and this host shows their data.',
  input: z.strictObject({ id: Id, sourceHostIds: z.array(Id).min(1).max(50) }),
  result: z.object({ host: Host }),
})

export const splitHost = endpoint({
  method: 'POST',
  path: '/v1/hosts/:id/split',
  summary: 'Split a merged host',
  description: 'Undoes all merges into this host.',
  input: z.strictObject({ id: Id }),
  result: z.object({ host: Host }),
})

export const HostEvent = z.object({
  time: Timestamp,
  kind: z.enum([
    'KIND_FIRST_SEEN',
    'KIND_PORT_OPENED',
    'KIND_PORT_CLOSED',
    'KIND_TECHNOLOGY_APPEARED',
    'KIND_TECHNOLOGY_GONE',
    'KIND_ISSUE',
  ]),
  /** The port (`443/tcp`), product or issue. */
  name: z.string(),
  port: z.number().int().optional(),
  productId: Id.optional(),
  issueId: Id.optional(),
  /** The new status of the issue on this host. */
  issueStatus: z.string().optional(),
})
export type HostEvent = z.infer<typeof HostEvent>
export const hostTimeline = endpoint({
  method: 'GET',
  path: '/v1/hosts/:id/timeline',
  summary: 'Get the timeline of a host',
  description: 'Ports, software and issues that appeared and disappeared, newest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ events: z.array(HostEvent), ...NextPage }),
})
