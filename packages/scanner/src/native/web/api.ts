/** APIs that describe themselves (OpenAPI) and declare no authentication. */
import { type Description, Operation, operationsMax, pathOf, readDescription } from '#native/web/api-description.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import { kindOf } from '#native/web/record-kinds.ts'
import { exposedRecords, findRecords } from '#native/web/records.ts'
import { writableApi } from '#native/web/writable.ts'
import { destructive, verbIn } from '#native/web/verbs.ts'
import { folderOf, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'

export const openApi = checkInfo({
  id: 'api-without-authentication',
  name: 'API exposed without authentication (OpenAPI)',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:N',
  score: 6.5,
  summary:
    'The OpenAPI description of the API declares operations that change data but no authentication, and an operation that lists data responds to unauthenticated requests.',
  impact: "An attacker can read the API's data and call its operations, including those that change or delete data.",
  remediation:
    'Require authentication for the API and declare it under `securitySchemes`, or restrict the API to trusted networks.',
  reference: 'https://owasp.org/API-Security/editions/2023/en/0xa2-broken-authentication/',
  tags: 'misconfig api unauth',
  verifiedOn: 'huma',
})
const listsMax = 6
const searchesMax = 3

export const webApi: NativeCheck = {
  checks: [openApi, exposedRecords, writableApi],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const base = folderOf(context.basePath)
    const description = await readDescription(context)
    if (description === undefined) return {}
    const proof = description && (await listedBy(context, description, base))
    if (proof) return { [openApi.id]: proof }
    const paths = description ? recordPaths(description).map((path) => pathOf(path, description, base)) : []
    const found = await findRecords(context, base, paths)
    return {
      [openApi.id]: null,
      ...(found ? { [exposedRecords.id]: found.records, [writableApi.id]: found.writable } : {}),
    }
  },
}

/** The first list of records that the API returns without authentication. */
async function listedBy(context: NativeContext, description: Description, base: string): Promise<Proof | undefined> {
  for (const path of openLists(description).slice(0, listsMax)) {
    const target = pathOf(path, description, base)
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (page && isRecords(page)) return { ...webProof(page, ['HTTP/1.1 200']), path: target }
  }
  for (const path of openSearches(description).slice(0, searchesMax)) {
    const target = pathOf(path, description, base)
    const headers = { Accept: 'application/json', 'Content-Type': 'application/json' }
    const page = await requestWeb(context, { method: 'POST', target, headers, body: '{}' })
    if (page && isRecords(page)) return { ...webProof(page, ['HTTP/1.1 200']), path: target }
  }
  return undefined
}

/** Records of an administrative kind; articles, products, or health are often public. */
const administrative =
  /(?:^|[/_-])(?:accounts?|api-?keys?|agents|applications|apps|assistants|bots|clients|collections|config|configs|configuration|connections|credentials|customers|databases|datasets|deployments|devices|documents|experiments|files|flows|functions|hosts|indexes|integrations|invoices|jobs|keys|logs|members|models|nodes|orders|payments|pipelines|plugins|processes|projects|queues|routes|rules|runs|schedules|secrets|services|sessions|settings|stacks|studies|tables|targets|tasks|tenants|threads|tokens|users|variables|webhooks|workers|workflows|workspaces)\/?$/i

/**
 * Paths of lists that need no parameters.
 *
 * @returns nothing if the description declares authentication, or only operations that read
 */
export function openLists(description: Description): readonly string[] {
  return openPaths(description).flatMap(([path, { get }]) =>
    isCallable(get) && administrative.test(path) && isPlain(path) ? [path] : [],
  )
}

const search = /\/(?:search|list)\/?$/i

/** Paths whose POST only searches, such as `/threads/search`, under the same conditions. */
export function openSearches(description: Description): readonly string[] {
  return openPaths(description).flatMap(([path, { post }]) =>
    search.test(path) && isCallable(post) && administrative.test(path.replace(search, '')) && isPlain(path)
      ? [path]
      : [],
  )
}

function isCallable(described: unknown): boolean {
  const operation = Operation.safeParse(described).data
  return (
    operation !== undefined && !operation.security?.length && !operation.parameters?.some(({ required }) => required)
  )
}

function isPlain(path: string): boolean {
  return /^\/[\w./-]{1,200}$/.test(path)
}

/** Operations of an API that declares no authentication and can change data. */
function openPaths(description: Description): [string, Readonly<Record<string, unknown>>][] {
  const { components, securityDefinitions, security } = description
  const schemes = Object.keys({ ...components?.securitySchemes, ...securityDefinitions })
  if (!(description.openapi ?? description.swagger) || schemes.length > 0 || security?.length) return []
  const paths = Object.entries(description.paths).slice(0, operationsMax)
  return paths.some(([path, methods]) => canWrite(path, methods)) ? paths : []
}

const administrativeVerbs = new Set(['deploy', 'disable', 'enable', 'execute', 'install', 'uninstall'])

/** `POST /deploy` changes something; `POST /search` needn't. */
function canWrite(path: string, methods: Readonly<Record<string, unknown>>): boolean {
  if ('put' in methods || 'patch' in methods || 'delete' in methods) return true
  const verb = 'post' in methods ? verbIn(path) : undefined
  return verb !== undefined && (destructive.has(verb) || administrativeVerbs.has(verb))
}

/** Lists of internal records, whether the description declares authentication or not: not every server enforces it. */
function recordPaths({ paths }: Description): readonly string[] {
  return Object.entries(paths)
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) => {
      const operation = Operation.safeParse(get).data
      const isCallable = operation && !operation.parameters?.some(({ required }) => required)
      return isCallable && kindOf(path) && /^\/[\w./-]{1,200}$/.test(path) ? [path] : []
    })
}

/** JSON with at least one record. */
function isRecords({ status, headers, body }: WebResponse): boolean {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return (
    status === 200 &&
    /\bjson\b/i.test(type) &&
    /^\s{0,99}(?:\[\s{0,99}[[{"]|\{[\s\S]{0,400}?[[{]\s{0,99}[{"])/.test(body)
  )
}
