/** Which checks there are, and how their requests are shared on one origin. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { HttpRequest } from '#net/http.ts'
import type { Lookup } from '#template/dsl.ts'
import { questionsOf } from '#template/http.ts'
import { listReader } from '#template/lists.ts'
import type { ReadList } from '#template/payloads.ts'
import { parseTemplate, type RefusedTemplate } from '#template/parse.ts'
import type { CheckInfo, HttpBlock, RedirectPolicy, Template } from '#template/template.ts'
import { rankOf } from '#template/relevance.ts'
import { variablesOf, withRandom, withVariables, type Place } from '#template/variables.ts'

export type { CheckInfo } from '#template/template.ts'

const FILES_MAX = 50_000
const FILE_BYTES_MAX = 1024 * 1024

export interface CheckPlan {
  readonly templates: readonly Template[]
}

/**
 * Loads every `.yaml` file below the folders, in the order of their names; links are not followed.
 * What cannot be run is listed with its reason and does not stop the rest. Of two templates with one
 * id the first stays.
 *
 * @throws when a folder cannot be read
 */
export async function loadTemplates(
  folders: readonly string[],
): Promise<{ plan: CheckPlan; checks: readonly CheckInfo[]; refused: readonly RefusedTemplate[] }> {
  const templates = new Map<string, Template>()
  const refused: RefusedTemplate[] = []
  for (const folder of folders) {
    const readList = listReader(folder)
    for (const file of await yamlFiles(folder)) {
      const parsed = await readTemplate(file, readList)
      if ('reason' in parsed) refused.push(parsed)
      else if (templates.has(parsed.info.id)) refused.push(duplicate(parsed))
      else templates.set(parsed.info.id, parsed)
    }
  }
  const plan = { templates: [...templates.values()] }
  return { plan, checks: plan.templates.map(({ info }) => info), refused }
}

async function yamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .slice(0, FILES_MAX)
}

async function readTemplate(file: string, readList: ReadList): Promise<Template | RefusedTemplate> {
  const { size } = await stat(file)
  if (size <= FILE_BYTES_MAX) return parseTemplate(file, await readFile(file, 'utf8'), readList)
  return { file, line: 0, feature: 'too large', reason: `larger than ${FILE_BYTES_MAX} bytes` }
}

function duplicate({ file, info }: Template): RefusedTemplate {
  return { file, line: 1, feature: 'duplicate id', reason: `line 1: the id ${info.id} of ${basename(file)} is taken` }
}

/** A template that waits for the answer of a request. */
export interface Listener {
  readonly template: Template
  readonly block: HttpBlock
  readonly lookup: Lookup
}
/** One request that is sent once, for all who want it. */
export interface SharedRequest {
  readonly request: HttpRequest
  readonly policy: RedirectPolicy
  readonly redirectsMax: number
  readonly listeners: Listener[]
}
export interface OriginPlan {
  /** The front page first, then what concerns the software that was recognised, then what most templates wait for. */
  readonly requests: readonly SharedRequest[]
  /** Templates with a request that cannot be sent here: they never finish on this origin. */
  readonly unfinished: ReadonlySet<Template>
}

/**
 * Shares the requests of all HTTP checks on one origin: equal ones, redirect policy included, are
 * sent once.
 *
 * @param names what was recognised there; checks that name it come first
 */
export function planOrigin(plan: CheckPlan, place: Place, names: ReadonlySet<string> = new Set()): OriginPlan {
  const variables = variablesOf(place)
  const shared = new Map<string, SharedRequest>()
  const unfinished = new Set<Template>()
  for (const template of plan.templates) {
    if (template.http.length === 0 || template.isSequence) continue
    const lookup = withVariables(
      template.variables,
      withRandom((name) => variables.get(name)),
    )
    for (const block of template.http) {
      for (const { write } of questionsOf(block)) {
        const request = write(place.basePath, lookup)
        if (request) add(shared, request, { template, block, lookup })
        else unfinished.add(template)
      }
    }
  }
  const isFront = ({ request }: SharedRequest) => Number(request.method === 'GET' && request.path === place.basePath)
  const ranks = new Map([...shared.values()].map((one) => [one, rankOfRequest(one, names)] as const))
  const rank = (one: SharedRequest) => ranks.get(one) ?? 1
  const requests = [...shared.values()].sort(
    (left, right) =>
      isFront(right) - isFront(left) || rank(left) - rank(right) || right.listeners.length - left.listeners.length,
  )
  return { requests, unfinished }
}

function rankOfRequest({ listeners }: SharedRequest, names: ReadonlySet<string>): number {
  return listeners.some(({ template }) => rankOf(template, names) === 0) ? 0 : 1
}

function add(shared: Map<string, SharedRequest>, request: HttpRequest, listener: Listener): void {
  const { redirects: policy, redirectsMax } = listener.block
  const key = requestKey(request, listener.block)
  const known = shared.get(key)
  if (known) known.listeners.push(listener)
  else shared.set(key, { request, policy, redirectsMax, listeners: [listener] })
}

/** What tells a request from others that must be sent, too: all that the service sees, and the redirect policy. */
export function requestKey(request: HttpRequest, { redirects, redirectsMax }: HttpBlock): string {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
  const limits = redirects === 'none' ? redirects : `${redirects} ${redirectsMax}`
  return [request.method, request.path, limits, ...headers.sort(), '', bodyText(request)].join('\n')
}

function bodyText({ body = '' }: HttpRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
}
