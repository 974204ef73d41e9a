/** Search across all entities, for the command palette. */
import { z } from 'zod/mini'
import { endpoint } from '#endpoint.ts'
import { Id, listOf } from '#primitives.ts'

export const SearchKind = z.enum(['KIND_ISSUE', 'KIND_HOST', 'KIND_TARGET', 'KIND_PRODUCT', 'KIND_SCAN', 'KIND_AGENT'])
export type SearchKind = z.infer<typeof SearchKind>

export const SearchItem = z.object({
  id: Id,
  name: z.string(),
  subtitle: z.string(),
  /** Path of its page in the portal. */
  path: z.string(),
})
export type SearchItem = z.infer<typeof SearchItem>
export const SearchGroup = z.object({ kind: SearchKind, items: z.array(SearchItem) })
export type SearchGroup = z.infer<typeof SearchGroup>

export const search = endpoint({
  method: 'GET',
  path: '/v1/search',
  summary: 'Search everything',
  description: 'Finds issues, hosts, targets, products, scans, and agents by word prefix.',
  input: z.object({
    query: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
    kinds: listOf(SearchKind),
    /** Maximum results per type. */
    pageSize: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(20))),
  }),
  result: z.object({ groups: z.array(SearchGroup) }),
})
