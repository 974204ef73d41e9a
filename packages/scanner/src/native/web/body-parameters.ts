/** Parameters in the bodies of POST requests, as scripts, forms, and the description of an API show them. */
import { z } from 'zod'
import { type Description, operationsMax, pathOf, readDescription } from '#native/web/api-description.ts'
import { formsIn, type HtmlForm } from '#native/web/html-forms.ts'
import type { NativeContext } from '#native/native-check.ts'
import { type Parameter, stores } from '#native/web/parameters.ts'
import { scriptBodies } from '#native/web/script-calls.ts'
import { readPages } from '#native/web/site-pages.ts'
import { isChanging, isDestructive, onlyReads } from '#native/web/verbs.ts'
import { folderOf, pathHere } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export interface BodyParameter extends Parameter {
  readonly kind: 'form' | 'json'
  /** All members of the body with their usual values. */
  readonly members: Readonly<Record<string, unknown>>
}

interface PostRequest extends Pick<BodyParameter, 'kind' | 'members'> {
  readonly path: string
}

const parametersMax = 10
const membersMax = 12

/** Parameters of operations that only read, according to their path or the label of the form's button. */
export async function bodyParameters(context: NativeContext): Promise<readonly BodyParameter[]> {
  const site = await readSite(context)
  const description = await readDescription(context)
  if (!site) return []
  const { pages, scripts } = await readPages(context, site)
  const texts = [...pages.map(({ body }) => body), ...scripts]
  const scripted = scriptBodies(texts).flatMap(({ path, kind, members }): PostRequest[] => {
    const target = /^\/?[\w./-]{1,160}$/.test(path) ? pathHere(path, site.front.path) : undefined
    return target?.startsWith(site.base) ? [{ path: target, kind, members: membersIn(members) }] : []
  })
  const described = description ? describedRequests(description, folderOf(context.basePath)) : []
  const named = [...described, ...scripted].filter(({ path, members }) => onlyReads(path) && !isPersonal(members))
  const requests = [...named, ...pages.flatMap(formRequests)]
  return [...new Map(requests.map((request) => [request.path, request])).values()]
    .flatMap((request) => parametersIn(request))
    .slice(0, parametersMax)
}

/** Members of logins, contact forms, and confirmations. */
const personal = /e_?mail|phone|pass_?(?:wd|word)|captcha|otp$|(?:^|_)(?:pin|token)$/i

function isPersonal(members: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(members).some((name) => personal.test(name))
}

function parametersIn({ path, kind, members }: PostRequest): readonly BodyParameter[] {
  return Object.entries(members).flatMap(([name, value]) =>
    typeof value === 'string' ? [{ path, query: [], name, value, kind, members }] : [],
  )
}

/** `url: address, depth: 2` or `url` */
function membersIn(source: string): Record<string, unknown> {
  const members = source.split(',').flatMap((text) => {
    const [, name = '', value = ''] =
      /^\s{0,99}["']?([a-z_$][\w$]{0,40})["']?\s{0,9}(?::([\s\S]{0,200}))?$/i.exec(text) ?? []
    return name === '' ? [] : [[name, literalIn(value.trim())] as const]
  })
  return Object.fromEntries(members.slice(0, membersMax))
}

/** The value of a literal; an empty text for an expression. */
function literalIn(source: string): unknown {
  if (/^(?:true|false)$/.test(source)) return source === 'true'
  if (/^-?\d{1,12}(?:\.\d{1,6})?$/.test(source)) return Number(source)
  return /^(["'`])([^"'`$\\]{0,100})\1$/.exec(source)?.[2] ?? ''
}

const Property = z.object({
  type: z.string().optional(),
  example: z.unknown().optional(),
  default: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
})
const Schema = z.object({ $ref: z.string().optional(), properties: z.record(z.string(), z.unknown()).optional() })
const Post = z.object({
  requestBody: z
    .object({ content: z.record(z.string(), z.object({ schema: z.unknown().optional() })).optional() })
    .optional(),
  parameters: z.array(z.object({ in: z.string().optional(), schema: z.unknown().optional() })).optional(),
})

function describedRequests(description: Description, base: string): readonly PostRequest[] {
  return Object.entries(description.paths)
    .slice(0, operationsMax)
    .flatMap(([path, { post }]): PostRequest[] => {
      const operation = post === undefined ? undefined : Post.safeParse(post).data
      if (!operation || !/^\/[\w./-]{1,200}$/.test(path)) return []
      const content = operation.requestBody?.content ?? {}
      const json =
        content['application/json']?.schema ?? operation.parameters?.find((item) => item.in === 'body')?.schema
      const form = content['application/x-www-form-urlencoded']?.schema
      const members = membersOf(json ?? form, description)
      return [{ path: pathOf(path, description, base), kind: json === undefined ? 'form' : 'json', members }]
    })
}

function membersOf(schema: unknown, { components, definitions }: Description): Record<string, unknown> {
  const { $ref, properties } = Schema.safeParse(schema).data ?? {}
  const name = $ref?.split('/').at(-1) ?? ''
  const resolved =
    $ref === undefined
      ? properties
      : Schema.safeParse({ ...components?.schemas, ...definitions }[name]).data?.properties
  const members = Object.entries(resolved ?? {}).map(([key, property]) => [key, usualValue(property)] as const)
  return Object.fromEntries(members.slice(0, membersMax))
}

function usualValue(property: unknown): unknown {
  const { type, example, default: usual, enum: values } = Property.safeParse(property).data ?? {}
  const known = example ?? usual ?? values?.[0]
  if (known !== undefined && known !== null) return known
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return false
  return type === 'array' ? [] : type === 'object' ? {} : ''
}

const reads =
  /^\s{0,9}(?:calculate|check|convert|diagnose|estimate|find|look ?up|ping|preview|query|resolve|search|test|trace(?:route)?|translate|validate)\b/i

const otherField = /^(?:email|file|password|tel)$/

/** Forms whose button or path says that they only read. */
function formRequests({ body, path: base }: { readonly body: string; readonly path: string }): readonly PostRequest[] {
  return formsIn(body).flatMap((form): PostRequest[] => {
    const path = form.isPost ? pathHere(form.action, base) : undefined
    if (path === undefined || !readsOnly(form, path) || form.fields.some(({ type }) => otherField.test(type))) return []
    const named = form.fields.filter(
      ({ name, type }) => name !== '' && !/^(?:submit|button|checkbox|radio)$/.test(type),
    )
    return [{ path, kind: 'form', members: Object.fromEntries(named.map(({ name, value }) => [name, value])) }]
  })
}

function readsOnly({ labels }: HtmlForm, path: string): boolean {
  if (isChanging(path) || labels.some((label) => stores.test(label) || isDestructive(label))) return false
  return onlyReads(path) || labels.some((label) => reads.test(label))
}
