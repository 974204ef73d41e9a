/** Where an application accepts XML, as its scripts, forms, and OpenAPI description show. */
import { z } from 'zod'
import { operationsMax, pathOf, readDescription } from '#native/web/api-description.ts'
import { formsIn } from '#native/web/html-forms.ts'
import type { NativeContext } from '#native/native-check.ts'
import { readPages } from '#native/web/site-pages.ts'
import { folderOf, pathHere } from '#native/web/request.ts'
import { readSite } from '#native/web/site.ts'

export interface XmlEndpoint {
  readonly path: string
  /** A document that the application itself shows or sends; otherwise one with an element of an unknown name. */
  readonly sample: string
  /** The field of a form; absent: the document is the body. */
  readonly field?: string
}

const endpointsMax = 4
const callsMax = 400
const beforeMax = 60
const afterMax = 400
const mediaType = /^(?:application|audio|image|multipart|text|video)\//
const call = /["'`](\/?[\w./-]{1,120})["'`]/g
const mentions = /\b(?:application|text)\/xml\b|XMLSerializer|DOMParser|<\?xml\b/i
const isPost = /\bPOST\b|\.post\(/i
const unknownSample = '<glacis>value</glacis>'
const known = new WeakMap<NativeContext, Promise<readonly XmlEndpoint[] | undefined>>()

/** @returns undefined if the server didn't answer */
export function xmlEndpoints(context: NativeContext): Promise<readonly XmlEndpoint[] | undefined> {
  const reading = known.get(context) ?? read(context)
  known.set(context, reading)
  return reading
}

async function read(context: NativeContext): Promise<readonly XmlEndpoint[] | undefined> {
  const site = await readSite(context)
  const description = await readDescription(context)
  if (!site || description === undefined) return undefined
  const { pages, scripts } = await readPages(context, site)
  const scripted = [...pages.map(({ body }) => body), ...scripts].flatMap((text) => endpointsIn(text, site.front.path))
  const described = Object.entries(description?.paths ?? {})
    .slice(0, operationsMax)
    .flatMap(([path, { post }]) => {
      const body = XmlOperation.safeParse(post).data
      const accepts = Object.keys(body?.requestBody?.content ?? {}).concat(body?.consumes ?? [])
      if (!description || /[{}]/.test(path) || !accepts.some((type) => /[/+]xml\b/.test(type))) return []
      return { path: pathOf(path, description, folderOf(context.basePath)), sample: exampleOf(body) ?? unknownSample }
    })
  const all = [...pages.flatMap(formEndpoints), ...scripted, ...described]
  return [...new Map(all.map((item) => [item.path, item])).values()].slice(0, endpointsMax)
}

const Content = z.object({ example: z.unknown().optional() })
const XmlOperation = z.object({
  consumes: z.array(z.string()).optional(),
  requestBody: z.object({ content: z.record(z.string(), Content).optional() }).optional(),
})

function exampleOf(operation: z.infer<typeof XmlOperation> | undefined): string | undefined {
  const examples = Object.values(operation?.requestBody?.content ?? {}).map(({ example }) => example)
  return examples.map((example) => (typeof example === 'string' ? sampleIn(example) : undefined)).find(Boolean)
}

/** Paths in a script that are followed by a media type of XML, in a POST request. */
function endpointsIn(text: string, base: string): readonly XmlEndpoint[] {
  return [...text.matchAll(call).take(callsMax)].flatMap((match) => {
    const [, link = ''] = match
    const near = text.slice(Math.max(0, match.index - beforeMax), match.index + afterMax)
    const path = /\//.test(link) && !mediaType.test(link) ? pathHere(link, base) : undefined
    if (path === undefined || !isPost.test(near) || !mentions.test(near)) return []
    return { path, sample: sampleIn(near) ?? sampleIn(text) ?? unknownSample }
  })
}

/** Forms whose text area asks for XML. */
function formEndpoints({ body, path: base }: { readonly body: string; readonly path: string }): readonly XmlEndpoint[] {
  return formsIn(body).flatMap((form) => {
    const path = form.isPost ? pathHere(form.action, base) : undefined
    const field = form.fields.find(({ tag, text }) => tag === 'textarea' && /xml|soap|svg|rss/i.test(text))
    return path === undefined || !field || field.name === ''
      ? []
      : { path, sample: sampleIn(body) ?? unknownSample, field: field.name }
  })
}

const sampleLengthMax = 1500

/** A complete XML document in a script, or escaped in a page; not HTML. */
export function sampleIn(text: string): string | undefined {
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
  const openings = plain.matchAll(/(?:["'`>]\s{0,9}|\?>\s{0,20})<([a-z][\w:-]{1,40})(?=[\s>])/gi)
  for (const { index, 1: name = '' } of openings.take(100)) {
    if (html.test(name)) continue
    const start = plain.indexOf(`<${name}`, index)
    const closing = `</${name}>`
    const end = plain.indexOf(closing, start)
    if (end > start && end - start < sampleLengthMax) return plain.slice(start, end + closing.length)
  }
  return undefined
}

const html =
  /^(?:a|abbr|article|aside|audio|b|blockquote|body|button|canvas|caption|code|col|dd|details|div|dl|dt|em|fieldset|figure|footer|form|h\d|head|header|html|i|iframe|img|input|label|legend|li|link|main|meta|nav|noscript|ol|option|p|pre|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|u|ul|video)$/i
