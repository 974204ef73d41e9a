/** Products: software found on hosts or watched, with its known vulnerabilities. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Empty, Flag, Id, listOf, Name, NextPage, Page, SeverityCount, Timestamp } from '#primitives.ts'
import { Threat } from '#threat.ts'

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
  date: z.nullable(z.iso.date()),
  state: z.enum(['STATE_UNKNOWN', 'STATE_SUPPORTED', 'STATE_SOON', 'STATE_PAST']),
  latestVersion: z.optional(z.string()),
})

export const Product = z.object({
  id: Id,
  name: z.string(),
  version: z.string(),
  wfn: Wfn,
  /** 0 to 10. A new threat with at least this score triggers a notification immediately. */
  minNotificationSeverity: z.number(),
  createTime: Timestamp,
  updateTime: Timestamp,
  hostCount: z.optional(z.int()),
  issueCount: z.optional(SeverityCount),
  endOfLife: z.optional(EndOfLife),
  /** Whether a user watches it; it may not have been found on a host. */
  watched: z.optional(z.boolean()),
})
export type Product = z.infer<typeof Product>

/** A software suggestion: title and well-formed name. */
export const NamedSoftware = z.object({ name: z.string(), wfn: Wfn })

/** Sorted by name, end of support, open issues, or hosts. */
export const ProductOrder = z.enum(['ORDER_BY_NAME', 'ORDER_BY_END_OF_LIFE', 'ORDER_BY_SEVERITY', 'ORDER_BY_HOSTS'])

export const ProductFilter = z.strictObject({
  query: z.optional(z.string().check(z.maxLength(200))),
  vendor: z.optional(z.string().check(z.maxLength(200))),
  /** Product name as in `wfn`; together with `vendor` it selects all versions. */
  product: z.optional(z.string().check(z.maxLength(200))),
  targetId: z.optional(Id),
  hostId: z.optional(Id),
  hasIssues: z.optional(Flag),
  parts: listOf(z.enum(['a', 'o', 'h'])),
  endOfLife: listOf(EndOfLife.shape.state),
  watched: z.optional(Flag),
})
export type ProductFilter = z.infer<typeof ProductFilter>

/** Query of `GET /v1/products/export`, which returns the file itself. */
export const ProductExportQuery = z.strictObject({
  format: z._default(z.enum(['csv', 'cyclonedx']), 'csv'),
  filter: z.optional(ProductFilter),
})

export const listProducts = endpoint({
  method: 'GET',
  path: '/v1/products',
  summary: 'List products',
  description: 'Software found on hosts or watched.',
  input: z.object({
    ...Page,
    filter: z.optional(ProductFilter),
    orderBy: z.optional(ProductOrder),
  }),
  result: z.object({ products: z.array(Product), ...NextPage }),
})

export const getProduct = endpoint({
  method: 'GET',
  path: '/v1/products/:id',
  summary: 'Get a product',
  input: z.object({ id: Id }),
  result: z.object({ product: Product }),
})

/** 0 to 10, in steps of 0.1. */
const NotifyFrom = z.number().check(z.minimum(0), z.maximum(10))

/** Binding doubles quoted characters, and an index entry has at most 2,704 bytes. */
const wfnBytesMax = 800

function isIndexable(wfn: Readonly<Record<string, string | undefined>>): boolean {
  const encoder = new TextEncoder()
  return Object.values(wfn).reduce((sum, value = '') => sum + encoder.encode(value).length, 0) <= wfnBytesMax
}

export const watchProduct = endpoint({
  method: 'POST',
  path: '/v1/products',
  summary: 'Watch a product',
  description:
    'New threats to it with at least `minNotificationSeverity` are reported even if it has not been found on a host.',
  input: z.strictObject({
    name: Name,
    /** Empty means every version. */
    version: z._default(z.string().check(z.maxLength(100)), ''),
    /** Part, vendor, and product are required. `version` above takes precedence over this one. */
    wfn: z
      .strictObject(z.required(z.partial(Wfn), { vendor: true, product: true }).shape)
      .check(z.refine(isIndexable, `The attributes of wfn must not exceed ${wfnBytesMax} bytes in total`)),
    minNotificationSeverity: z._default(NotifyFrom, 7),
  }),
  result: z.object({ product: Product }),
})

export const updateProduct = endpoint({
  method: 'PATCH',
  path: '/v1/products/:id',
  summary: 'Update a product',
  description: 'Changes only the fields named in `updateMask.paths`: `minNotificationSeverity` or `watched`.',
  input: z.strictObject({
    id: Id,
    product: z.strictObject({ minNotificationSeverity: z.optional(NotifyFrom), watched: z.optional(z.boolean()) }),
    updateMask: z.strictObject({
      paths: z.array(z.enum(['minNotificationSeverity', 'watched'])).check(z.minLength(1)),
    }),
  }),
  result: z.object({ product: Product }),
})

export const deleteProduct = endpoint({
  method: 'DELETE',
  path: '/v1/products/:id',
  summary: 'Stop watching a product',
  description: 'A product that runs on a host stays in the inventory. Rejected for a product that is not watched.',
  input: z.object({ id: Id }),
  result: Empty,
})

export const ProductThreat = z.object({
  threat: Threat,
  /** The CVE, or another advisory's ID. */
  key: z.string(),
  affectsVersion: z.enum(['AFFECTS_YES', 'AFFECTS_NO', 'AFFECTS_UNKNOWN']),
  /** The reason for `affectsVersion`, as a sentence. */
  reason: z.string(),
  /** The workspace's issue for this threat, if any. */
  issueId: z.optional(Id),
})
export type ProductThreat = z.infer<typeof ProductThreat>

export const listProductThreats = endpoint({
  method: 'GET',
  path: '/v1/products/:id/threats',
  summary: 'List threats to a product',
  description: 'Most severe first, with whether each affects this version and why.',
  input: z.object({
    id: Id,
    ...Page,
    filter: z.optional(z.strictObject({ found: z.optional(Flag) })),
  }),
  result: z.object({ threats: z.array(ProductThreat), ...NextPage }),
})

export const searchSoftware = endpoint({
  method: 'GET',
  path: '/v1/software',
  summary: 'Search software by name',
  description: 'Suggestions while typing; software with the most known vulnerabilities first.',
  input: z.object({
    query: z.string().check(z.minLength(2), z.maxLength(100)),
    pageSize: Page.pageSize,
  }),
  result: z.object({ software: z.array(NamedSoftware) }),
})
