/**
 * Identifies services from recorded responses of real ones, if the records are available next to
 * the checkout.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createBudget, limitsByProfile } from '#budget.ts'
import { createGuard } from '#guard.ts'
import { identifyPort } from '#identify.ts'
import { loadPacks } from '#index.ts'
import { createHttpClient } from '#net/http.ts'
import { listen } from '#testing/loopback.ts'
import { replayService } from '#testing/replay.ts'

const data = join(resolve(process.env['GLACIS_SHARED'] ?? join(import.meta.dirname, '../../../../shared')), 'data')
const files = [join(data, 'lab-observed-banners.json'), join(data, 'lab-expected.json')] as const
const isThere = files.every((file) => existsSync(file))
const network = '127.66.10.0/24'

const Records = z.object({
  replies: z.array(z.object({ id: z.string(), proto: z.string(), request: z.string(), reply: z.string() })),
})
const Expected = z.object({ services: z.array(z.object({ id: z.string(), cpe: z.string() })) })

interface Product {
  readonly name: string
  /** `-` where it isn't visible remotely. */
  readonly version: string
}

/** Products of each row that are remotely identifiable. */
function productsByRow(): ReadonlyMap<string, readonly Product[]> {
  const { services } = Expected.parse(JSON.parse(readFileSync(files[1], 'utf8')))
  const seen = services.filter(({ cpe }) => !cpe.includes('not remotely visible'))
  return new Map(
    seen.map(({ id, cpe }) => {
      const isHidden = /not visible|no version|protocol \d+ only/.test(cpe)
      const names = [...cpe.matchAll(/cpe:2\.3:a:([^:\s]+):([^:\s]+):([^:\s;,]+)/g)]
      const products = names.map(([, vendor, product, version = '-']) => ({
        name: `${vendor}:${product}`,
        version: isHidden ? '-' : version,
      }))
      return [id, products.slice(0, 1)]
    }),
  )
}

it.skipIf(!isThere)(
  isThere
    ? 'identifies real services from recorded responses, without wrong versions'
    : 'identifies real services (skipped: lab-observed-banners.json is not next to the checkout)',
  async () => {
    const { replies } = Records.parse(JSON.parse(readFileSync(files[0], 'utf8')))
    const expected = productsByRow()
    const fingerprints = [join(import.meta.dirname, '../../../packs/fingerprints')]
    const packs = await loadPacks({ checks: [], fingerprints })
    const guard = createGuard({ allow: [network] })
    const http = createHttpClient({ guard })
    const tools = {
      ...packs,
      guard,
      http,
      budget: createBudget(limitsByProfile.deep),
      signal: AbortSignal.timeout(60_000),
    }
    const [named, missed, wrong]: [string[], string[], string[]] = [[], [], []]

    const judge = async (id: string, products: readonly Product[], at: number) => {
      const own = replies.filter((reply) => reply.id === id)
      const seen = new Map<string, string>()
      let isPlayed = false
      for (const [proto, repliesOfProtocol] of Map.groupBy(own, (reply) => reply.proto)) {
        const played = replayService(proto, repliesOfProtocol)
        if (!played) continue
        isPlayed = true
        const address = `127.66.10.${at}`
        await using service = await listen(address, played.port, played.handle)
        const { technologies } = await identifyPort({ address, port: service.port, hostname: address }, tools)
        for (const { wfn } of technologies) {
          const version = wfn.version.replaceAll('\\', '')
          seen.set(`${wfn.vendor}:${wfn.product}`.replaceAll('\\', ''), version)
          if (version !== '*' && version !== '-' && !repliesOfProtocol.some(({ reply }) => reply.includes(version)))
            wrong.push(`${id}: ${wfn.product} ${version} does not appear in the recorded responses`)
        }
      }
      if (!isPlayed) return
      for (const { name, version } of products) {
        const reported = seen.get(name)
        if (reported === undefined) missed.push(`${id}: ${name}`)
        else named.push(name)
        if (reported !== undefined && reported !== '*' && reported !== '-' && reported !== version)
          wrong.push(`${id}: ${name} ${reported} instead of ${version}`)
      }
    }
    await Promise.all([...expected].map(([id, products], at) => judge(id, products, at + 1)))
    await http.close()

    expect(wrong).toEqual([])
    expect(named.length + missed.length).toBeGreaterThanOrEqual(28)
    expect(named.length / (named.length + missed.length), `missed ${missed.join(', ')}`).toBeGreaterThanOrEqual(0.9)
  },
  90_000,
)
