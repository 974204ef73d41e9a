/** Parameters and paths that a page shows unescaped. */
import { randomBytes } from 'node:crypto'
import { attribute } from '#native/web/html-forms.ts'
import { checkInfo, type NativeContext, type Proof } from '#native/native-check.ts'
import { type Parameter, placeOf } from '#native/web/parameters.ts'
import type { SendValue } from '#native/web/server-evaluation.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import type { WebSite } from '#native/web/site.ts'

export const scripting = checkInfo({
  id: 'cross-site-scripting-reflected',
  name: 'Reflected cross-site scripting',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  score: 6.1,
  summary:
    'The application inserts a parameter of a link or search form, or the path of a page that does not exist, into its HTML page without escaping it.',
  impact: "An attacker who gets a user to open a crafted link can run scripts in that user's session.",
  remediation:
    'Escape every value for the context in which the page shows it, and send a Content-Security-Policy header without `unsafe-inline`.',
  reference: 'https://cwe.mitre.org/data/definitions/79.html',
  tags: 'xss injection',
  verifiedOn: 'express-api express-tickets fastapi-parameters',
})

/** The response to a parameter with quotation marks and a tag. */
export interface Attempt {
  readonly parameter: Parameter
  readonly tag: string
  readonly response: WebResponse
}

export function reflectedMarkup(attempts: readonly Attempt[]): Proof | null {
  const found = attempts.find(({ tag, response }) => !isRedirect(response) && runsMarkup(response, tag))
  return found ? { ...webProof(found.response, [found.tag]), path: placeOf(found.parameter) } : null
}

/** The page for unknown paths, if it shows the path unescaped. */
export async function markupInPath(context: NativeContext, { base, unknown }: WebSite): Promise<Proof | null> {
  const name = unknown.path.slice(base.length)
  if (name === '' || !unknown.body.includes(name)) return null
  const tag = `<g${randomBytes(6).toString('hex')}>`
  const path = `${base}${encodeURIComponent(tag)}`
  const response = await requestWeb(context, { target: path })
  return response && runsMarkup(response, tag) ? { ...webProof(response, [tag]), path } : null
}

/** Browsers show error pages as well, but not the page of a redirect. */
function isRedirect({ status }: WebResponse): boolean {
  return status >= 300 && status < 400
}

/** Whether a quotation mark ends the attribute that contains the value, so that the value can add others. */
export async function addsAttribute({ parameter, response, tag }: Attempt, send: SendValue): Promise<Proof | null> {
  if (response.status !== 200 || !runsMarkup({ ...response, body: tag }, tag)) return null
  const name = tag.slice(1, -1)
  for (const quote of ['"', "'"]) {
    const value = `${parameter.value}${quote} ${name}=${quote}1`
    const page = await send(value)
    const [element = ''] =
      new RegExp(`<[a-z][^<>]{0,1000}\\s${name}=["'][^<>]{0,1000}`, 'i').exec(page?.body ?? '') ?? []
    if (page && attribute(name, element) === '1') return { ...webProof(page, [value]), path: placeOf(parameter) }
  }
  return null
}

/** Whether the browser parses a tag in this response as HTML, outside of elements that only contain text. */
export function runsMarkup({ headers, body }: Pick<WebResponse, 'headers' | 'body'>, tag: string): boolean {
  const valueOf = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? ''
  if (!/^text\/html\b/i.test(valueOf('content-type'))) return false
  if (/\b(?:script|default)-src\b/i.test(valueOf('content-security-policy'))) return false
  const at = body.indexOf(tag)
  if (at === -1) return false
  const before = body.slice(0, at)
  const isOpen = (open: RegExp, close: RegExp) => before.search(open) !== -1 && !close.test(lastFrom(before, open))
  const texts = ['textarea', 'title', 'script', 'style', 'template', 'noscript', 'xmp', 'iframe']
  return (
    !isOpen(/<!--/, /-->/) &&
    !texts.some((name) => isOpen(new RegExp(`<${name}\\b`, 'i'), new RegExp(`</${name}`, 'i')))
  )
}

/** The text from the last match on. */
function lastFrom(text: string, pattern: RegExp): string {
  const starts = [...text.matchAll(new RegExp(pattern.source, `${pattern.flags}g`))]
  return text.slice(starts.at(-1)?.index ?? 0)
}
