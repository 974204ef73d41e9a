/** What was found: hosts, the services on them, and the software they run. */
import { z } from 'zod'
import { endpoint } from '#endpoint.ts'
import { Empty, Flag, Id, listOf, Name, NextPage, Page, SeverityCount, Timestamp, UpdateMask } from '#primitives.ts'
import { Target } from '#target.ts'
import { SeverityCategory, Threat } from '#threat.ts'

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
  /** Somebody asked to be told of it, whether it runs anywhere or not. */
  watched: z.boolean().optional(),
})
export type Product = z.infer<typeof Product>

/** Software that can be named: a title and its well-formed name. */
export const NamedSoftware = z.object({ name: z.string(), wfn: Wfn })

/** What a TLS service showed of itself. */
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
  /** Application protocol, such as `http`, `ssh`, `redis`; empty when it was not recognised. */
  protocol: z.string(),
  tls: z.boolean(),
  product: z.string().optional(),
  banner: z.string().optional(),
  certificate: Certificate.optional(),
  /** On a host with merged ones: at which of its addresses. */
  address: z.string().optional(),
  firstSeenTime: Timestamp,
  lastSeenTime: Timestamp,
})
export type Service = z.infer<typeof Service>

export const InventoryItem = z.object({ wfn: Wfn, product: Product.optional(), port: z.number().int().optional() })

/** How much a host matters to its owner; it moves the priority of the issues on it. */
export const Criticality = z.enum(['CRITICALITY_LOW', 'CRITICALITY_NORMAL', 'CRITICALITY_HIGH'])
export type Criticality = z.infer<typeof Criticality>

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
  /** Last time it answered a scan. */
  lastSeenTime: Timestamp.optional(),
  /** Who answers for it, in the words of the account; empty when nobody said. */
  owner: z.string().optional(),
  criticality: Criticality.optional(),
  notes: z.string().optional(),
  /** Hosts that a person said are this very machine, under other addresses. */
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
  summary:
    'Lists the hosts found inside the targets, newest first unless orderBy says otherwise. filter.query takes part of an address, name or product, or a port as port:443.',
  input: z.object({
    ...Page,
    filter: z
      .strictObject({
        targetId: Id.optional(),
        query: z.string().max(200).optional(),
        productId: Id.optional(),
        newSince: Timestamp.optional(),
        /** Hosts that have not answered since then. */
        notSeenSince: Timestamp.optional(),
        /** Of targets with one of these tags. */
        tagIds: listOf(Id),
        /** With an open issue of one of these severities. */
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
  summary: 'One host with its services and software.',
  input: z.object({ id: Id }),
  result: z.object({ host: Host }),
})

export const updateHost = endpoint({
  method: 'PATCH',
  path: '/v1/hosts/:id',
  summary: 'Says who owns a host, how much it matters, and what else is to be known of it.',
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
  summary: 'Says that other hosts are this very machine. They leave the lists, and this one shows what they have.',
  input: z.strictObject({ id: Id, sourceHostIds: z.array(Id).min(1).max(50) }),
  result: z.object({ host: Host }),
})
export const splitHost = endpoint({
  method: 'POST',
  path: '/v1/hosts/:id/split',
  summary: 'Takes a merge back: every host that was merged into this one stands for itself again.',
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
  /** `443/tcp`, the software, or the issue. */
  name: z.string(),
  port: z.number().int().optional(),
  productId: Id.optional(),
  issueId: Id.optional(),
  /** What the issue became on this host. */
  issueStatus: z.string().optional(),
})
export type HostEvent = z.infer<typeof HostEvent>
export const hostTimeline = endpoint({
  method: 'GET',
  path: '/v1/hosts/:id/timeline',
  summary: 'What happened on a host: ports, software and issues that came and went, newest first.',
  input: z.object({ id: Id, ...Page }),
  result: z.object({ events: z.array(HostEvent), ...NextPage }),
})
/** By name, by the day on which support ends, by open issues, by hosts. */
export const ProductOrder = z.enum(['ORDER_BY_NAME', 'ORDER_BY_END_OF_LIFE', 'ORDER_BY_SEVERITY', 'ORDER_BY_HOSTS'])

export const ProductFilter = z.strictObject({
  query: z.string().max(200).optional(),
  vendor: z.string().max(200).optional(),
  /** The name of a product as in its `wfn`: with `vendor`, all its versions. */
  product: z.string().max(200).optional(),
  targetId: Id.optional(),
  hostId: Id.optional(),
  hasIssues: Flag.optional(),
  parts: listOf(z.enum(['a', 'o', 'h'])),
  endOfLife: listOf(EndOfLife.shape.state),
  watched: Flag.optional(),
})
export type ProductFilter = z.infer<typeof ProductFilter>

/** Query of `GET /v1/products/export`, which answers with the file itself. */
export const ProductExportQuery = z.strictObject({
  format: z.enum(['csv', 'cyclonedx']).default('csv'),
  filter: ProductFilter.optional(),
})

export const listProducts = endpoint({
  method: 'GET',
  path: '/v1/products',
  summary: 'Lists the software seen on the hosts or watched.',
  input: z.object({
    ...Page,
    filter: ProductFilter.optional(),
    orderBy: ProductOrder.optional(),
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

/** 0 to 10, in tenths. */
const NotifyFrom = z.number().min(0).max(10)

export const watchProduct = endpoint({
  method: 'POST',
  path: '/v1/products',
  summary:
    'Watches a product, whether it was seen or not: new threats to it are told of, and scans look at what runs it.',
  input: z.strictObject({
    name: Name,
    /** Empty: every version. */
    version: z.string().max(100).default(''),
    /** Part, vendor and product are needed; the version above goes before the one in here. */
    wfn: Wfn.partial().required({ vendor: true, product: true }),
    minNotificationSeverity: NotifyFrom.default(7),
  }),
  result: z.object({ product: Product }),
})

export const updateProduct = endpoint({
  method: 'PATCH',
  path: '/v1/products/:id',
  summary: 'Changes from which score on new threats to a product are told of.',
  input: z.strictObject({
    id: Id,
    product: z.strictObject({ minNotificationSeverity: NotifyFrom.optional(), watched: z.boolean().optional() }),
    updateMask: z.strictObject({ paths: z.array(z.enum(['minNotificationSeverity', 'watched'])).min(1) }),
  }),
  result: z.object({ product: Product }),
})

export const deleteProduct = endpoint({
  method: 'DELETE',
  path: '/v1/products/:id',
  summary:
    'Stops watching a product. One that runs on a host stays in the inventory; one that is not watched is refused.',
  input: z.object({ id: Id }),
  result: Empty,
})

export const ProductThreat = z.object({
  threat: Threat,
  /** The CVE, or the id of what else names it. */
  key: z.string(),
  affectsVersion: z.enum(['AFFECTS_YES', 'AFFECTS_NO', 'AFFECTS_UNKNOWN']),
  /** Why, in a sentence. */
  reason: z.string(),
  /** The issue that stands on it, where one does. */
  issueId: Id.optional(),
})
export type ProductThreat = z.infer<typeof ProductThreat>

export const listProductThreats = endpoint({
  method: 'GET',
  path: '/v1/products/:id/threats',
  summary: 'Known threats to a product, worst first, with whether they affect its version and why.',
  input: z.object({
    id: Id,
    ...Page,
    filter: z.strictObject({ found: Flag.optional() }).optional(),
  }),
  result: z.object({ threats: z.array(ProductThreat), ...NextPage }),
})

export const searchSoftware = endpoint({
  method: 'GET',
  path: '/v1/software',
  summary: 'Finds software by name, as one types; what most records are about comes first.',
  input: z.object({
    query: z.string().min(2).max(100),
    pageSize: Page.pageSize,
  }),
  result: z.object({ software: z.array(NamedSoftware) }),
})
