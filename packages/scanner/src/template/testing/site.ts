/** A loopback web site and the checks run on it, for tests of the template runners. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Observation, ScanProfile } from '@glacis/contract/runner'
import { createHttpClient } from '#net/http.ts'
import { parseTemplate } from '#template/parse.ts'
import { runChecks } from '#template/run.ts'
import type { CheckTools } from '#template/service-run.ts'
import type { Template } from '#template/template.ts'

const guard = { denialReason: () => null }
type Page = (request: IncomingMessage & { readonly text: string }, response: ServerResponse) => void

export interface Site extends AsyncDisposable {
  readonly port: number
  /** Method, target, and body of each request, in order. */
  readonly asked: readonly string[]
  /** Runs YAML templates against the site. */
  run(sources: string | readonly string[], options?: SiteRun): Promise<readonly Observation[]>
}
export interface SiteRun extends Partial<
  Pick<CheckTools, 'callbacks' | 'permissions' | 'isExhaustive' | 'suppliedValues' | 'signal'>
> {
  readonly profile?: ScanProfile
  readonly technologies?: readonly string[]
}

/** @param page writes the response; the request body is complete by then */
export async function serveSite(address: string, page: Page): Promise<Site> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('latin1')
      requests.push(`${request.method} ${request.url}${text === '' ? '' : ` ${text}`}`)
      page(Object.assign(request, { text }), response)
    })
  }).listen(0, address)
  await once(server, 'listening')
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const client = createHttpClient({ guard, deadlineMs: 3_000 })
  return {
    port,
    asked: requests,
    async run(sources, { profile = 'gentle', technologies = [], ...extra } = {}) {
      const templates = [sources].flat().map(templateOf)
      const service = {
        port,
        transport: 'tcp',
        protocol: 'http',
        tls: false,
        banner: '',
        technologies: technologies.map(software),
      } as const
      const target = { address, hostname: 'lab.test', basePath: '/', services: [service] }
      const signal = AbortSignal.timeout(20_000)
      const tools = { http: client, guard, signal, profile, budget: { take: async () => undefined }, ...extra }
      const observations: Observation[] = []
      for await (const observation of runChecks(target, { templates }, tools)) observations.push(observation)
      return observations
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A technology with this name and no other properties. */
export function software(name: string) {
  const any = {
    version: '*',
    update: '*',
    edition: '*',
    language: '*',
    softwareEdition: '*',
    targetSoftware: '*',
    targetHardware: '*',
    other: '*',
    text: '',
  }
  return { name, wfn: { part: 'a', vendor: '*', product: name.toLowerCase().replaceAll(' ', '_'), ...any } } as const
}

/** @throws when a template is rejected, with the reason */
export function templateOf(source: string): Template {
  const template = parseTemplate('test.yaml', source)
  if ('reason' in template) throw new Error(template.reason)
  return template
}

/** Summary of findings and completed checks. */
export function summary(observations: readonly Observation[]) {
  return {
    found: observations.flatMap((observation) =>
      observation.kind === 'finding' ? [`${observation.check} ${observation.location.replace(/^\d+/, '')}`] : [],
    ),
    covered: observations
      .flatMap((observation) => (observation.kind === 'coverage' ? observation.checks : []))
      .toSorted(),
  }
}
