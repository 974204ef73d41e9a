/** Descriptions of an API in OpenAPI's format, and the parameters that they declare. */
import { z } from 'zod'
import { jsonIn } from '#native/json.ts'
import type { NativeContext } from '#native/native-check.ts'
import { folderOf, requestWeb } from '#native/web/request.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

const documents = (
  'openapi.json api/openapi.json v1/openapi.json swagger.json api/swagger.json api/v1/openapi.json v3/api-docs v2/api-docs docs/json docs-json api-json api/docs-json api/docs/json ' +
  'swagger/v1/swagger.json swagger/doc.json apispec_1.json api-docs.json api/schema/?format=json schema/openapi.json'
).split(' ')
/** Maximum number of operations read from one description; the others are skipped. */
export const operationsMax = 2000

const Parameter = z.object({
  name: z.string().optional(),
  in: z.string().optional(),
  required: z.boolean().optional(),
  example: z.unknown().optional(),
  schema: z.object({ default: z.unknown().optional(), example: z.unknown().optional() }).optional(),
})
export type DescribedParameter = z.infer<typeof Parameter>
/** The parts of an operation that the checks need. */
export const Operation = z.object({
  parameters: z.array(Parameter).optional(),
  security: z.array(z.unknown()).optional(),
})
const Description = z.object({
  openapi: z.string().optional(),
  swagger: z.string().optional(),
  basePath: z.string().optional(),
  servers: z.array(z.object({ url: z.string() })).optional(),
  security: z.array(z.unknown()).optional(),
  securityDefinitions: z.record(z.string(), z.unknown()).optional(),
  components: z
    .object({
      securitySchemes: z.record(z.string(), z.unknown()).optional(),
      schemas: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  definitions: z.record(z.string(), z.unknown()).optional(),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
})
export type Description = z.infer<typeof Description>

const descriptions = new WeakMap<NativeContext, Promise<Description | null | undefined>>()

/** @returns null if the server has no description; undefined if it didn't answer */
export function readDescription(context: NativeContext): Promise<Description | null | undefined> {
  const known = descriptions.get(context) ?? findDescription(context)
  descriptions.set(context, known)
  return known
}

async function findDescription(context: NativeContext): Promise<Description | null | undefined> {
  const base = folderOf(context.basePath)
  const site = await readSite(context)
  if (!site) return undefined
  const targets = new Set([...documentsOf(site), ...documents.map((name) => `${base}${name}`)])
  for (const target of targets) {
    const page = await requestWeb(context, { target })
    if (!page) return undefined
    const description = page.status === 200 ? parsed(page.body) : undefined
    if (description) return description
  }
  return null
}

/** Maximum length of a script that names the description. Longer ones are the code of the documentation page. */
const settingsLengthMax = 20_000

function documentsOf({ front, scripts }: WebSite): string[] {
  const settings = scripts.filter((script) => script.length <= settingsLengthMax)
  return [front.body, ...settings].flatMap((text) => documentsIn(text, front.path))
}

/** Descriptions that a documentation page such as Swagger UI or ReDoc shows. */
export function documentsIn(page: string, base: string): string[] {
  const links = page.matchAll(/\b(?:url|spec-?url|spec_url)["']?\s{0,9}[:=]\s{0,9}["']([^"'\s]{1,200})["']/gi).take(20)
  return [...links].flatMap(([, link = '']) => {
    if (!/(?:openapi|swagger|api-?docs|spec|schema)[^/]{0,40}$/i.test(link)) return []
    if (!URL.canParse(link, `http://here.invalid${base}`)) return []
    const { hostname, pathname, search } = new URL(link, `http://here.invalid${base}`)
    return hostname === 'here.invalid' ? [`${pathname}${search}`] : []
  })
}

function parsed(body: string): Description | undefined {
  return /^\s{0,99}\{/.test(body) ? Description.safeParse(jsonIn(body)).data : undefined
}

/** The path of an operation on this server. */
export function pathOf(path: string, description: Description, base: string): string {
  return `${base}${prefixOf(description)}${path}`.replaceAll(/\/{2,9}/g, '/')
}

/** The path below which the operations are. */
function prefixOf({ basePath, servers }: Description): string {
  const url = basePath ?? servers?.[0]?.url ?? '/'
  return URL.canParse(url, 'http://here.invalid') ? new URL(url, 'http://here.invalid').pathname : '/'
}
