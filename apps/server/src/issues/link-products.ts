/** Links occurrences to the software that causes them. */
import type { Ctx } from '#ctx.ts'
import { sql } from 'kysely'

/**
 * Whether a threat is about a product: its record lists the product, or its name contains the
 * product or vendor.
 */
const isAbout = sql`(
  exists (
    select from threat_product
    where threat_product.threat_id = threat.id
      and threat_product.vendor = product.vendor and threat_product.product = product.product)
  or exists (
    select from unnest(array[product.vendor, product.product]) as called
    where position(' ' || replace(called, '_', ' ') in lower(' ' || threat.name || ' ' || replace(threat.key, '-', ' '))) > 0))`

/**
 * Sets the product of each occurrence on these hosts: the product whose version it matched or, for
 * a check, the one product on its port that the check is about. Exposed files of a website are not
 * linked to a product.
 */
export async function linkProducts(ctx: Ctx, hostIds: readonly string[]): Promise<void> {
  if (hostIds.length === 0) return
  await sql`
    update occurrence set product_id = found.product_id
    from (
      select candidate.id, candidate.known,
             case when candidate.method = 'version'
               then (array_agg(candidate.product_id order by candidate.last_seen_at desc) filter (where is_named))[1]
               else case when count(distinct candidate.product_id) filter (where is_about) = 1
                 then (array_agg(candidate.product_id) filter (where is_about))[1] end
             end as product_id
      from (
        select occurrence.id, occurrence.method, occurrence.product_id as known,
               product.id as product_id, host_product.last_seen_at,
               occurrence.location = host_product.port || ' ' || product.vendor || ':' || product.product as is_named,
               occurrence.method <> 'version' and product.id is not null and ${isAbout} as is_about
        from occurrence
        cross join lateral (
          select threat.id, threat.name, threat.key
          from issue join threat on threat.id = issue.threat_id
          where issue.account_id = ${ctx.workspace} and issue.id = occurrence.issue_id
          -- Lateral, or the planner would read every issue of the workspace.
          offset 0
        ) as threat
        left join host_product
          on host_product.account_id = ${ctx.workspace} and host_product.host_id = occurrence.host_id
          -- Repeated condition, or the planner would read the software of every host.
          and host_product.host_id = any(${hostIds}::uuid[])
          and host_product.port = occurrence.port and host_product.gone_at is null
        left join product on product.account_id = ${ctx.workspace} and product.id = host_product.product_id
        where occurrence.account_id = ${ctx.workspace} and occurrence.host_id = any(${hostIds}::uuid[])
        -- The products of a threat are looked up once per row.
        offset 0
      ) as candidate
      group by candidate.id, candidate.method, candidate.known
    ) as found
    where occurrence.account_id = ${ctx.workspace} and occurrence.id = found.id
      and found.known is distinct from found.product_id`.execute(ctx.tx)
}
