/** Hosts found in targets, and their services. */
import { z } from 'zod/mini'
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
  port: z.int(),
  transport: z.enum(['tcp', 'udp']),
  /** Application protocol, such as `http`, `ssh`, `redis`; empty if not recognized. */
  protocol: z.string(),
  tls: z.boolean(),
  product: z.optional(z.string()),
  banner: z.optional(z.string()),
  certificate: z.optional(Certificate),
  /** On a merged host: the address that the service belongs to. */
  address: z.optional(z.string()),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
})
export type Service = z.infer<typeof Service>

export const InventoryItem = z.object({ wfn: Wfn, product: z.optional(Product), port: z.optional(z.int()) })

/** How important a host is to its owner; affects the priority of its issues. */
export const Criticality = z.enum(['CRITICALITY_LOW', 'CRITICALITY_NORMAL', 'CRITICALITY_HIGH'])
export type Criticality = z.infer<typeof Criticality>

export const Host = z.object({
  id: Id,
  address: z.string(),
  /** Hostname used to reach the address, if any. */
  name: z.optional(z.string()),
  target: z.optional(Target),
  inventory: z.array(InventoryItem),
  services: z.optional(z.array(Service)),
  issueCount: z._default(SeverityCount, { critical: 0, high: 0, medium: 0, low: 0 }),
  createTime: Timestamp,
  updateTime: Timestamp,
  lastCheckTime: z.optional(Timestamp),
  /** When it last responded to a scan. */
  lastSeenTime: z.optional(Timestamp),
  /** Responsible person or team, as free text; may be empty. */
  owner: z.optional(z.string()),
  criticality: z.optional(Criticality),
  notes: z.optional(z.string()),
  /** The agent that runs on this host and reports its packages, listening sockets, and containers. */
  inventoryAgentId: z.optional(Id),
  /** Hosts that a user marked as the same machine. */
  merged: z.optional(z.array(z.object({ id: Id, address: z.string(), targetId: Id }))),
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
    'Newest first unless `orderBy` is set. `filter.query` matches part of an address, name, or product, or a port written as `port:443`.',
  input: z.object({
    ...Page,
    filter: z.optional(
      z.strictObject({
        targetId: z.optional(Id),
        query: z.optional(z.string().check(z.maxLength(200))),
        productId: z.optional(Id),
        newSince: z.optional(Timestamp),
        /** Hosts that haven't responded since this time. */
        notSeenSince: z.optional(Timestamp),
        /** Hosts of targets with one of these tags. */
        tagIds: listOf(Id),
        /** Hosts with an open issue of one of these severities. */
        severities: listOf(SeverityCategory),
        criticalities: listOf(Criticality),
      }),
    ),
    orderBy: z.optional(HostOrder),
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
  description: 'Changes only the fields named in `updateMask.paths`: `owner`, `criticality`, or `notes`.',
  input: z.strictObject({
    id: Id,
    host: z.strictObject({
      owner: z.optional(z.string().check(z.maxLength(200))),
      criticality: z.optional(Criticality),
      notes: z.optional(z.string().check(z.maxLength(4000))),
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
  input: z.strictObject({ id: Id, sourceHostIds: z.array(Id).check(z.minLength(1), z.maxLength(50)) }),
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
  /** The port (`443/tcp`), product, or issue. */
  name: z.string(),
  port: z.optional(z.int()),
  productId: z.optional(Id),
  issueId: z.optional(Id),
  /** The new status of the issue on this host. */
  issueStatus: z.optional(z.string()),
})
export type HostEvent = z.infer<typeof HostEvent>
export const hostTimeline = endpoint({
  method: 'GET',
  path: '/v1/hosts/:id/timeline',
  summary: "Get a host's timeline",
  description: 'Ports, software, and issues that appeared or disappeared, newest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ events: z.array(HostEvent), ...NextPage }),
})
