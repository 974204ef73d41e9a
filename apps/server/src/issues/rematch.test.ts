import { parseFormattedString, parseNvd, toWfn } from '@glacis/intelligence'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#database/index.ts'
import { matchThreats } from '#issues/rematch.ts'
import { type TestServer, startTestServer } from '#testing/test-server.ts'
import { statementsOf } from '#testing/statements.ts'
import { sql } from 'kysely'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const subject = 'acme:widget'

/** Creates a workspace with this number of hosts that run the widget. */
async function accountWith(hosts: number): Promise<string> {
  const workspace = await server.createWorkspace()
  const [target, product] = [newId(), newId()]
  const { owner } = server.database
  const name = parseFormattedString('cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*')
  const wfn = name && toWfn(name)
  await sql`
    insert into target (account_id, id, name, address, kind, schedule_period, created_at, updated_at)
    values (${workspace}, ${target}, 'All', '10.0.0.0/8', 'NETWORK', 'PERIOD_WEEKLY', now(), now())`.execute(owner)
  await sql`
    insert into product (account_id, id, key, name, version, part, vendor, product, wfn, subject, created_at, updated_at)
    values (${workspace}, ${product}, 'widget', 'Widget', '1.0', 'a', 'acme', 'widget', ${JSON.stringify(wfn)}::jsonb,
            ${subject}, now(), now())`.execute(owner)
  await sql`
    with made as (
      insert into host (account_id, id, target_id, address, first_seen_at, last_seen_at, last_checked_at, updated_at)
      select ${workspace}, new_id(), ${target}, '10.0.0.' || n, now(), now(), now(), now()
      from generate_series(1, ${hosts}::int) as n
      returning id
    )
    insert into host_product (account_id, host_id, product_id, port, evidence, quality, first_seen_at, last_seen_at)
    select ${workspace}, id, ${product}, 80, 'seen', 80, now(), now() from made`.execute(owner)
  return workspace
}

it('uses the same number of statements for a hundred hosts as for one', async () => {
  const cpeMatch = [{ vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', versionEndExcluding: '2' }]
  const item = parseNvd({ id: 'CVE-2026-70001', configurations: [{ nodes: [{ cpeMatch }] }] })
  if (item.kind !== 'threat') throw new Error(item.problem)
  const { threat } = item
  await server.addThreats({
    key: threat.id,
    kind: 'cve',
    record: threat,
    products: [{ vendor: 'acme', product: 'widget' }],
  })
  const known = server.database.owner.selectFrom('threat').select('id').where('key', '=', threat.id)
  const { id } = await known.executeTakeFirstOrThrow()
  const counts: number[] = []
  for (const hosts of [1, 100]) {
    const workspace = await accountWith(hosts)
    const sent = await statementsOf(() =>
      server.as(workspace, (ctx) => matchThreats(ctx, { ids: [id], subjects: [subject], isNews: true }, {})),
    )
    counts.push(sent.filter(({ text }) => /^\s*(?:select|with|insert|update|delete)\b/.test(text)).length)
    // Findings are written with their product, so no later statement sets it.
    expect(sent.filter(({ text }) => /update occurrence/.test(text))).toEqual([])
    const { rows } = await sql<{ count: number; linked: number; events: number }>`
      select count(*)::int as count, count(product_id)::int as linked,
             (select count(*)::int from issue_event where account_id = ${workspace} and host_id is not null) as events
      from occurrence where account_id = ${workspace}`.execute(server.database.owner)
    expect(rows).toEqual([{ count: hosts, linked: hosts, events: hosts }])
  }
  expect(counts[1]).toBe(counts[0])
})
