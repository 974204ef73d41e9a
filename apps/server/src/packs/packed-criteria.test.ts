import { parseNvd, prepareThreats, type ProductKey } from '@glacis/intelligence'
import { expect, it } from 'vitest'
import { fromRecord } from '#packs/drafts.ts'
import { sharedTestServer } from '#testing/test-server.ts'
import { threatsOfProducts, upsertThreats } from '#threats/index.ts'
import { sql } from 'kysely'

const server = await sharedTestServer()

const keys: readonly ProductKey[] = ['acme:widget', 'acme:nothing', 'acme:other\\:name']

async function found() {
  return server.as(await server.createWorkspace(), async (ctx) => {
    const all = new Map<string, string[]>()
    for await (const [key, threats] of threatsOfProducts(ctx, keys)) {
      prepareThreats(key, threats)
      all.set(key, threats.map((entry) => `${entry.key} ${entry.criteria}`).toSorted())
    }
    return all
  })
}

it('reads the criteria of a product with or without packed criteria', async () => {
  const cpeMatch = ['widget:1.0', 'widget:1.1', 'other\\:name:2.0'].map((name) => ({
    vulnerable: true,
    criteria: `cpe:2.3:a:acme:${name}:*:*:*:*:*:*:*`,
  }))
  const records = ['CVE-2026-70011', 'CVE-2026-70012'].map((id) => {
    const item = parseNvd({ id, configurations: [{ nodes: [{ cpeMatch }] }] })
    if (item.kind !== 'threat') throw new Error(item.problem)
    return fromRecord(item.threat, 'nvd')
  })
  await upsertThreats(server.database.owner, records)
  const packed = await found()
  expect(Object.fromEntries(packed)).toEqual({
    'acme:widget': [
      'CVE-2026-70011 ["cpe:2.3:a:acme:widget","1.0","1.1"]',
      'CVE-2026-70012 ["cpe:2.3:a:acme:widget","1.0","1.1"]',
    ],
    'acme:other\\:name': [
      'CVE-2026-70011 ["cpe:2.3:a:acme:other\\\\:name","2.0"]',
      'CVE-2026-70012 ["cpe:2.3:a:acme:other\\\\:name","2.0"]',
    ],
  })
  // Rows written before criteria were packed.
  await sql`update threat_product set criteria = null`.execute(server.database.owner)
  expect(await found()).toEqual(packed)
})
