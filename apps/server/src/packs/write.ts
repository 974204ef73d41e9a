/**
 * Writes feed items to the database in the caller's transaction, so that the cursor is updated with them. Callers run
 * it in `withWriteLock`.
 */
import { type Item, type Lifecycle, threatOfCycle } from '@glacis/intelligence'
import type { Tables } from '#database/tables.ts'
import { distinct, fromRecord } from '#packs/drafts.ts'
import { queueChangedThreats, writeThreats } from '#threats/index.ts'
import { sql, type Transaction } from 'kysely'

export type Of<Kind extends Item['kind']> = Extract<Item, { kind: Kind }>
type Tx = Transaction<Tables>

/** Writes a batch of independent records. */
export async function writeBatch(tx: Tx, items: readonly Item[]): Promise<void> {
  const threats = items.filter((item) => item.kind === 'threat')
  await writeThreats(tx, distinct(threats.map(({ threat, source }) => fromRecord(threat, source))))
  await writeFixes(
    tx,
    items.filter((item) => item.kind === 'fix'),
  )
}

async function writeFixes(tx: Tx, fixes: readonly Of<'fix'>[]): Promise<void> {
  if (fixes.length === 0) return
  const last = new Map(fixes.map((fix) => [`${fix.id} ${fix.package} ${fix.release} ${fix.origin}`, fix]))
  const rowsToWrite = [...last.values()].map(({ id, fixedVersion, ...fix }) => ({
    ...fix,
    key: id,
    fixed_version: fixedVersion,
  }))
  const { rows } = await sql<{ key: string }>`
    with fresh as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rowsToWrite)}::jsonb)
        as fresh (key text, package text, product text, release text, origin text, fixed_version text)
    ), withdrawn as (
      delete from distribution_fix using fresh
      where (distribution_fix.key, distribution_fix.release, distribution_fix.origin) = (fresh.key, fresh.release, fresh.origin)
        and (fresh.fixed_version is null and distribution_fix.package = fresh.package
          -- From before packages were stored.
          or distribution_fix.package = '' and distribution_fix.product = fresh.product)
      returning distribution_fix.key
    ), written as (
      insert into distribution_fix (key, package, product, release, origin, fixed_version)
      select key, package, product, release, origin, fixed_version from fresh where fixed_version is not null
      on conflict (key, package, release, origin, product) do update set fixed_version = excluded.fixed_version
      where distribution_fix.fixed_version <> excluded.fixed_version
      returning key
    )
    select key from withdrawn union select key from written`.execute(tx)
  await queueChangedKeys(
    tx,
    rows.map((row) => row.key),
  )
}

async function queueChangedKeys(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const { rows } = await sql<{ id: string }>`
    select id from threat where key = any(${[...new Set(keys)]}::text[])`.execute(tx)
  await queueChangedThreats(
    tx,
    rows.map((row) => row.id),
  )
}

/** A catalog that shrinks below this share of its previous size is rejected. */
const shrinkMax = 0.5

/** Replaces the catalog of exploited vulnerabilities. CVEs that are no longer listed are unmarked. */
export async function replaceKnownExploited(tx: Tx, items: readonly Of<'exploitation'>[]): Promise<void> {
  const { rows: before } = await sql<{ count: number }>`
    select count(*)::int as count from exploitation where known_exploited_at is not null`.execute(tx)
  if (items.length < (before[0]?.count ?? 0) * shrinkMax) {
    throw new Error(
      `The catalog has ${items.length} entries, less than half of the previous ${before[0]?.count}. The previous data is kept.`,
    )
  }
  const { rows } = await sql<{ key: string }>`
    with fresh as (
      select * from jsonb_to_recordset(${JSON.stringify(
        items.map(({ id, knownExploited }) => ({ key: id, known_exploited_at: knownExploited?.addTime })),
      )}::jsonb) as fresh (key text, known_exploited_at timestamptz)
    ), gone as (
      update exploitation set known_exploited_at = null
      where known_exploited_at is not null and not exists (select from fresh where fresh.key = exploitation.key)
      returning key
    ), written as (
      insert into exploitation (key, known_exploited_at)
      select distinct on (key) key, known_exploited_at from fresh
      on conflict (key) do update set known_exploited_at = excluded.known_exploited_at
      where exploitation.known_exploited_at is distinct from excluded.known_exploited_at
      returning key
    )
    select key from gone union select key from written`.execute(tx)
  const keys = rows.map((row) => row.key)
  await updateThreatExploitation(tx, keys)
  await queueChangedKeys(tx, keys)
}

const epssChunk = 20_000

/** Updates EPSS scores. Scores of unknown CVEs are kept until their records arrive. */
export async function replaceProbabilities(tx: Tx, items: readonly Of<'exploitation'>[]): Promise<void> {
  for (let from = 0; from < items.length; from += epssChunk) {
    const part = items.slice(from, from + epssChunk)
    const { rows } = await sql<{ key: string }>`
      insert into exploitation (key, epss_score, epss_percentile)
      select distinct on (key) * from unnest(
        ${part.map(({ id }) => id)}::text[], ${part.map(({ epss }) => epss?.score ?? 0)}::real[],
        ${part.map(({ epss }) => epss?.percentile ?? 0)}::real[]) as fresh (key, score, percentile)
      on conflict (key) do update set epss_score = excluded.epss_score, epss_percentile = excluded.epss_percentile
      where (exploitation.epss_score, exploitation.epss_percentile) is distinct from (excluded.epss_score, excluded.epss_percentile)
      returning key`.execute(tx)
    await updateThreatExploitation(
      tx,
      rows.map((row) => row.key),
    )
  }
}

/** Copies exploitation data to threats. */
async function updateThreatExploitation(tx: Tx, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`
    update threat set
      epss_score = coalesce(exploitation.epss_score, threat.epss_score),
      epss_percentile = coalesce(exploitation.epss_percentile, threat.epss_percentile),
      known_exploited_at = exploitation.known_exploited_at,
      updated_at = now()
    from exploitation
    where threat.key = any(${keys}::text[]) and exploitation.key = threat.key
      and (threat.epss_score, threat.epss_percentile, threat.known_exploited_at)
        is distinct from (coalesce(exploitation.epss_score, threat.epss_score), coalesce(exploitation.epss_percentile, threat.epss_percentile), exploitation.known_exploited_at)`.execute(
    tx,
  )
}

const threatChunk = 500

/** Replaces the lifecycles of these products and their end-of-life threats. */
export async function replaceLifecycles(tx: Tx, lifecycles: readonly Lifecycle[]): Promise<void> {
  const rows = lifecycles.flatMap(({ name, products, cycles }) =>
    products.flatMap(({ vendor, product }) =>
      cycles.map(({ cycle, endsOn, isOver, latest }) => ({
        vendor,
        product,
        cycle,
        name,
        ends_on: endsOn,
        is_over: isOver,
        latest,
      })),
    ),
  )
  await sql`
    delete from release_cycle using unnest(${rows.map((row) => row.vendor)}::text[], ${rows.map((row) => row.product)}::text[]) as fresh (vendor, product)
    where release_cycle.vendor = fresh.vendor and release_cycle.product = fresh.product`.execute(tx)
  await sql`
    insert into release_cycle (vendor, product, cycle, name, ends_on, is_over, latest)
    select distinct on (vendor, product, cycle) * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as fresh (vendor text, product text, cycle text, name text, ends_on date, is_over boolean, latest text)
    on conflict do nothing`.execute(tx)
  await setSoftwareTitles(tx, lifecycles)
  const endOfLifeThreats = lifecycles.flatMap((entry) =>
    entry.cycles.flatMap((cycle) => threatOfCycle(entry, cycle) ?? []),
  )
  const drafts = distinct(endOfLifeThreats.map((threat) => fromRecord(threat, 'lifecycle')))
  for (let from = 0; from < drafts.length; from += threatChunk)
    await writeThreats(tx, drafts.slice(from, from + threatChunk))
}

/** Sets the display names of products from their lifecycles. */
async function setSoftwareTitles(tx: Tx, lifecycles: readonly Lifecycle[]): Promise<void> {
  const names = lifecycles.flatMap(({ name, products }) => products.map((entry) => ({ ...entry, title: name })))
  await sql`
    insert into software (part, vendor, product, title)
    select distinct on (vendor, product, part) * from jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
      as fresh (part text, vendor text, product text, title text)
    on conflict (vendor, product, part) do update set title = excluded.title
    where software.title <> excluded.title`.execute(tx)
}

const softwareChunk = 10_000

/** Adds names from the CPE dictionary. */
export async function addSoftware(tx: Tx, items: readonly Of<'software'>[]): Promise<void> {
  for (let from = 0; from < items.length; from += softwareChunk) {
    const part = items.slice(from, from + softwareChunk)
    await sql`
      insert into software (part, vendor, product, title)
      select distinct on (vendor, product, part) part, vendor, product, title from jsonb_to_recordset(${JSON.stringify(
        part.map((entry) => ({ ...entry, title: titleOf(entry.vendor, entry.product) })),
      )}::jsonb) as fresh (part text, vendor text, product text, title text)
      on conflict do nothing`.execute(tx)
  }
}

/** Adds all products of threat records to the dictionary and counts the records. */
export async function countSoftware(tx: Tx): Promise<void> {
  const { rows } = await sql<{ vendor: string; product: string }>`
    select distinct vendor, product from threat_product
    where not exists (
      select from software where software.vendor = threat_product.vendor and software.product = threat_product.product)`.execute(
    tx,
  )
  await addSoftware(
    tx,
    rows.map((row) => ({ kind: 'software', part: 'a', ...row })),
  )
  await sql`
    update software set threats = counted.threats
    from (select vendor, product, count(*)::int as threats from threat_product group by vendor, product) as counted
    where software.vendor = counted.vendor and software.product = counted.product and software.threats <> counted.threats`.execute(
    tx,
  )
}

/** `Apache HTTP Server` for `apache` and `http_server`. The vendor is omitted if the product's name contains it. */
export function titleOf(vendor: string, product: string): string {
  const name = humanize(product)
  const vendorName = humanize(vendor.replace(/_(?:project|inc|foundation)$/, ''))
  return name.toLowerCase().includes(vendorName.toLowerCase()) ? name : `${vendorName} ${name}`
}

const initialisms =
  /^(?:http|https|ftp|ssh|ssl|tls|dns|php|sql|xml|api|cms|vpn|ios|os|ip|db|sdk|ui|io|imap|smtp|ldap|mq)$/

function humanize(text: string): string {
  return text
    .replaceAll('\\', '')
    .split(/[_\s]+/)
    .map((part) => (initialisms.test(part) ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1)))
    .join(' ')
}
