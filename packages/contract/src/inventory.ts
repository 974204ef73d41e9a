/** What was found: hosts, the services on them, and the software they run. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Flag, Id, listOf, NextPage, Page, SeverityCount, Timestamp } from '#primitives.ts'
import { Target } from '#target.ts'

/**
 * A well-formed name (CPE 2.3, NISTIR 7695). Each attribute is its unescaped value, `*` or empty
 * for ANY and `-` for NA; `text` is the name bound as a formatted string (`cpe:2.3:…`).
 */
export const Wfn = z.object({
  part: z.string(),
  vendor: z.string(),
  product: z.string(),
  version: z.string(),
  update: z.string(),
  edition: z.string(),
  language: z.string(),
  softwareEdition: z.string(),
  targetSoftware: z.string(),
  targetHardware: z.string(),
  other: z.string(),
  text: z.string(),
})
export type Wfn = z.infer<typeof Wfn>

export const EndOfLife = z.object({
  date: z.iso.date().nullable(),
  state: z.enum(['STATE_UNKNOWN', 'STATE_SUPPORTED', 'STATE_SOON', 'STATE_PAST']),
  latestVersion: z.string().optional(),
})

export const Product = z.object({
  id: Id,
  name: z.string(),
  version: z.string(),
  wfn: Wfn,
  /** 0 to 10: threats with at least this score are told of at once. */
  minNotificationSeverity: z.number(),
  createTime: Timestamp,
  updateTime: Timestamp,
  hostCount: z.number().int().optional(),
  issueCount: SeverityCount.optional(),
  endOfLife: EndOfLife.optional(),
})
export type Product = z.infer<typeof Product>

/** Software that can be named: a title and its well-formed name. */
export const NamedSoftware = z.object({ name: z.string(), wfn: Wfn })

export const Service = z.object({
  port: z.number().int(),
  transport: z.enum(['tcp', 'udp']),
  /** Application protocol, such as `http`, `ssh`, `redis`; empty when it was not recognised. */
  protocol: z.string(),
  tls: z.boolean(),
  product: z.string().optional(),
  banner: z.string().optional(),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
})
export type Service = z.infer<typeof Service>

export const InventoryItem = z.object({ wfn: Wfn, product: Product.optional(), port: z.number().int().optional() })

export const Host = z.object({
  id: Id,
  address: z.string(),
  /** Host name by which the address was reached, if any. */
  name: z.string().optional(),
  target: Target.optional(),
  inventory: z.array(InventoryItem),
  services: z.array(Service).optional(),
  issueCount: SeverityCount.default({ critical: 0, high: 0, medium: 0, low: 0 }),
  createTime: Timestamp,
  updateTime: Timestamp,
  lastCheckTime: Timestamp.optional(),
})
export type Host = z.infer<typeof Host>

export const listHosts = endpoint({
  method: 'GET',
  path: '/v1/hosts',
  summary: 'Lists the hosts found inside the targets, newest first.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        targetId: Id.optional(),
        query: z.string().max(200).optional(),
        productId: Id.optional(),
        newSince: Timestamp.optional(),
      })
      .optional(),
  }),
  result: z.object({ hosts: z.array(Host), ...NextPage }),
})

export const getHost = endpoint({
  method: 'GET',
  path: '/v1/hosts/:id',
  summary: 'One host with its services and software.',
  input: z.object({ id: Id }),
  result: z.object({ host: Host }),
})

export const listProducts = endpoint({
  method: 'GET',
  path: '/v1/products',
  summary: 'Lists the software seen on the hosts.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        query: z.string().max(200).optional(),
        vendor: z.string().max(200).optional(),
        targetId: Id.optional(),
        hostId: Id.optional(),
        hasIssues: Flag.optional(),
        parts: listOf(z.enum(['a', 'o', 'h'])),
      })
      .optional(),
  }),
  result: z.object({ products: z.array(Product), ...NextPage }),
})

export const getProduct = endpoint({
  method: 'GET',
  path: '/v1/products/:id',
  summary: 'One product of the inventory.',
  input: z.object({ id: Id }),
  result: z.object({ product: Product }),
})
