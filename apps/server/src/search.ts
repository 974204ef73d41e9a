/** Search across all resources for the command palette: six small, bounded queries. */
import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/search'
import { type SearchGroup, type SearchItem, SearchKind } from '@glacis/contract/search'
import type { Ctx } from '#ctx.ts'
import { type RawBuilder, sql } from 'kysely'

const perKindDefault = 5

interface SearchTerm {
  /** The search term in lower case. */
  readonly text: string
  /** A LIKE pattern for the term anywhere. */
  readonly like: string
  readonly limit: number
}
type Finder = (ctx: Ctx, term: SearchTerm) => Promise<SearchItem[]>

/**
 * Matches beginnings of words, or any part of the name for resources that are few. Groups without
 * matches are omitted.
 */
export async function search(
  ctx: Ctx,
  { query, kinds, pageSize = perKindDefault }: ParsedInputOf<typeof contract.search>,
): Promise<ResultOf<typeof contract.search>> {
  const text = query.toLowerCase()
  const term = { text, like: `%${text.replace(/[\\%_]/g, '\\$&')}%`, limit: pageSize }
  const requestedKinds = kinds?.length ? SearchKind.options.filter((kind) => kinds.includes(kind)) : SearchKind.options
  const groups = await Promise.all(
    requestedKinds.map(async (kind): Promise<SearchGroup> => ({ kind, items: await finders[kind](ctx, term) })),
  )
  return { groups: groups.filter(({ items }) => items.length > 0) }
}

const finders: Readonly<Record<SearchKind, Finder>> = {
  KIND_ISSUE: findIssues,
  KIND_HOST: findHosts,
  KIND_TARGET: findTargets,
  KIND_PRODUCT: findProducts,
  KIND_SCAN: findScans,
  KIND_AGENT: findAgents,
}

/** Open issues come first. */
async function findIssues(ctx: Ctx, { like, limit }: SearchTerm): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; subtitle: string }>`
    select found.id, threat.name,
           concat_ws(', ', initcap(substr(found.category, 10)), initcap(substr(found.status, 8)), nullif(threat.key, threat.name)) as subtitle
    from (
      select id, threat_id, category, status, priority from issue
      where account_id = ${ctx.workspace} and title like ${like}
      order by status in ('STATUS_OPEN', 'STATUS_REGRESSION') desc, priority desc, id
      limit ${limit}
    ) as found
    join threat on threat.id = found.threat_id
    order by found.status in ('STATUS_OPEN', 'STATUS_REGRESSION') desc, found.priority desc, found.id`.execute(ctx.tx)
  return rows.map((row) => ({ ...row, path: `/risks/${row.id}` }))
}

async function findHosts(ctx: Ctx, { text, limit }: SearchTerm): Promise<SearchItem[]> {
  const tsquery = toTsquery(text)
  if (!tsquery) return []
  const lookups = [
    // A term that looks like an address is matched as one, usually with many results.
    ...(/^[\da-f]+[.:][\da-f.:]*$/.test(text) ? [sql`hosts_at(${text}, ${limit})`] : []),
    sql`hosts_found(${tsquery}::tsquery, ${limit})`,
  ]
  let items: SearchItem[] = []
  for (const lookup of lookups) {
    items = await readHosts(ctx, lookup)
    if (items.length >= limit) break
  }
  return items
}

/** Hosts found by a database function, by address. */
async function readHosts(ctx: Ctx, lookup: RawBuilder<unknown>): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; address: string; target: string }>`
    select host.id, host.name, host.address, target.name as target
    from ${lookup} as found (id)
    join host on host.account_id = ${ctx.workspace} and host.id = found.id
    join target on target.account_id = host.account_id and target.id = host.target_id
    where target.deleted_at is null
    order by host.address, host.id`.execute(ctx.tx)
  return rows.map((row) => ({
    id: row.id,
    name: row.name || row.address,
    subtitle: row.name ? `${row.address}, ${row.target}` : row.target,
    path: `/assets/${row.id}`,
  }))
}

/** Converts `mq-broker 203.0` to a `tsquery` of prefixes; null if no words are left. */
function toTsquery(text: string): string | null {
  const parts = text.split(/\s+/).flatMap((part) => {
    const pieces = part.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
    if (pieces.length === 0) return []
    const prefixMatch = `${quoteLexeme(part)}:*`
    if (pieces.length === 1 && pieces[0] === part) return [prefixMatch]
    const last = pieces.length - 1
    const joined = pieces.map((piece, index) => quoteLexeme(piece) + (index === last ? ':*' : '')).join(' & ')
    return [`(${prefixMatch} | (${joined}))`]
  })
  return parts.length > 0 ? parts.join(' & ') : null
}

/** Quotes a lexeme for `tsquery`. */
function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

async function findTargets(ctx: Ctx, { like, limit }: SearchTerm): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; subtitle: string }>`
    select id, name, address as subtitle from target
    where account_id = ${ctx.workspace} and deleted_at is null and (lower(name) like ${like} or lower(address) like ${like})
    order by name, id
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({ ...row, path: `/scope/${row.id}` }))
}

async function findProducts(ctx: Ctx, { like, limit }: SearchTerm): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; subtitle: string }>`
    select id, trim(name || ' ' || version) as name, replace(vendor, '_', ' ') as subtitle from product
    where account_id = ${ctx.workspace} and lower(name || ' ' || version || ' ' || vendor) like ${like}
    order by name, version, id
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({ ...row, path: `/technologies/${row.id}` }))
}

/** The latest scans of the matching targets. */
async function findScans(ctx: Ctx, { like, limit }: SearchTerm): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; status: string; created_at: Date }>`
    select scan.id, target.name, scan.status, scan.created_at
    from target
    join lateral (
      select id, status, created_at from scan
      where scan.account_id = target.account_id and scan.target_id = target.id
      order by id desc
      limit 1
    ) as scan on true
    where target.account_id = ${ctx.workspace} and (lower(target.name) like ${like} or lower(target.address) like ${like})
    order by scan.id desc
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({
    id: row.id,
    name: `Scan of ${row.name}`,
    subtitle: `${row.status.slice('STATUS_'.length).toLowerCase()}, ${row.created_at.toISOString().slice(0, 10)}`,
    path: `/scans/${row.id}`,
  }))
}

async function findAgents(ctx: Ctx, { like, limit }: SearchTerm): Promise<SearchItem[]> {
  const { rows } = await sql<{ id: string; name: string; subtitle: string }>`
    select id, name, hostname as subtitle from agent
    where account_id = ${ctx.workspace} and (lower(name) like ${like} or lower(hostname) like ${like})
    order by name, id
    limit ${limit}`.execute(ctx.tx)
  return rows.map((row) => ({ ...row, path: `/agents/${row.id}` }))
}
