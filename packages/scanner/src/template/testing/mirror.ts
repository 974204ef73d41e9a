/**
 * Runs templates individually against a server that satisfies their conditions, and against an
 * empty one.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createHttpClient } from '#net/http.ts'
import { runChecks } from '#template/run.ts'
import type { Template } from '#template/template.ts'
import { answerFor, type MadeAnswer } from '#template/testing/generated.ts'
import { software } from '#template/testing/site.ts'

export interface Mirrored {
  readonly hits: readonly string[]
  /** A response was generated, but the template did not match. */
  readonly misses: readonly string[]
  /** No response could be generated. */
  readonly unmade: readonly string[]
  /** Matched an empty server. */
  readonly false: readonly string[]
}

const guard = { denialReason: () => null }

/** @param address loopback address of the server */
export async function mirror(templates: readonly Template[], address: string): Promise<Mirrored> {
  let made: MadeAnswer | null = null
  const server = createServer((request, response) => {
    // Only control requests use such random names.
    if (made === null || /\/g[\da-f]{14}\b/.test(request.url ?? '')) return void response.writeHead(404).end()
    response.sendDate = false
    for (const [name, value] of made.headers) response.appendHeader(name, value)
    response.writeHead(made.status).end(Buffer.from(made.body, 'latin1'))
  }).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const client = createHttpClient({ guard, deadlineMs: 3_000 })
  const outcome = { hits: [] as string[], misses: [] as string[], unmade: [] as string[], false: [] as string[] }
  const run = async (template: Template) => {
    // Simulates the identified product, otherwise the check would rightly doubt the match.
    const technologies = [...template.subjects].map(software)
    const service = { port, transport: 'tcp', protocol: 'http', tls: false, banner: '', technologies } as const
    const target = { address, hostname: 'lab.test', basePath: '/', services: [service] }
    const budget = { take: async () => undefined }
    const tools = { http: client, guard, signal: AbortSignal.timeout(20_000), profile: 'deep', budget } as const
    for await (const observation of runChecks(target, { templates: [template] }, tools))
      if (observation.kind === 'finding') return true
    return false
  }
  try {
    for (const template of templates) {
      const { id } = template
      made = null
      if (await run(template)) outcome.false.push(id)
      made = answerFor(template)
      if (made === null) outcome.unmade.push(id)
      else if (await run(template)) outcome.hits.push(id)
      else outcome.misses.push(id)
    }
  } finally {
    await client.close()
    server.closeAllConnections()
    server.close()
  }
  return outcome
}
