/** Parameters of links and search forms on the start page that reach the file system or the page unchecked. */
import { randomBytes } from 'node:crypto'
import { formsIn } from '#native/html-forms.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, NativeContext, Proof } from '#native/native-check.ts'
import { requestWeb, targetHere, webProof, type WebResponse } from '#native/web-request.ts'
import { readSite, type WebSite } from '#native/web-site.ts'

const traversal = checkInfo({
  id: 'path-traversal-linked-parameter',
  name: 'Path traversal in a parameter of the application',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A parameter that the application itself uses in a link accepts a path outside its folder. The check read /etc/passwd with it.',
  impact: 'An attacker can read the files of the application and the system, including keys and passwords.',
  remediation:
    'Resolve the path and reject it unless it is inside the intended folder, or map identifiers to files instead of accepting names.',
  reference: 'https://cwe.mitre.org/data/definitions/22.html',
  tags: 'lfi traversal files',
})
const scripting = checkInfo({
  id: 'cross-site-scripting-reflected',
  name: 'Reflected cross-site scripting',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N',
  score: 6.1,
  summary: 'The application inserts a parameter of a link or search form into its HTML page without escaping it.',
  impact: 'An attacker can run scripts in the session of a user who opens a crafted link.',
  remediation:
    'Escape all values for the context in which the page shows them, and send a Content-Security-Policy header without `unsafe-inline`.',
  reference: 'https://cwe.mitre.org/data/definitions/79.html',
  tags: 'xss injection',
})

/** A parameter with the request that contains it. */
export interface Parameter {
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly name: string
  readonly value: string
}

const parametersMax = 12
const fileValue = /\.[a-z\d]{1,5}$|\//i
const fileName = /file|path|page|doc|template|download|dir|folder|view|include|image|attachment/i
const climb = '../'.repeat(12)
const passwords = /^root:[^:\n]{0,200}:0:0:[^\n]{0,300}/m

export const webParameters: NativeCheck = {
  checks: [traversal, scripting],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const parameters = parametersOf(site)
    return {
      [traversal.id]: await firstProof(parameters.filter(isFile), (item) => readsPasswords(context, item)),
      [scripting.id]: await firstProof(parameters, (item) => reflectsMarkup(context, item)),
    }
  },
}

/** Parameters of links and GET forms on the start page, and of paths in its scripts; each once. */
export function parametersOf({ front, scripts }: Pick<WebSite, 'front' | 'scripts'>): readonly Parameter[] {
  const links = [...front.body.matchAll(/\b(?:href|src)\s{0,9}=\s{0,9}["']([^"'\s>]{1,500}\?[^"'\s>]{1,500})["']/gi)]
  const called = scripts.flatMap((script) => [...script.matchAll(/["'`](\/[\w./-]{1,200}\?[\w.=&/%+-]{2,300})["'`]/g)])
  const targets = [...links, ...called].map(([, target = '']) => target.replaceAll('&amp;', '&'))
  const found = targets.flatMap((target) => parametersIn(targetHere(target, front.path) ?? ''))
  const searched = formsIn(front.body).flatMap(({ isPost, action, fields }) => {
    const path = isPost ? undefined : targetHere(action, front.path)?.split('?', 1)[0]
    const texts = fields.filter(({ type, name }) => name !== '' && (type === 'text' || type === 'search'))
    return path === undefined ? [] : texts.map(({ name }) => ({ path, query: [], name, value: '' }))
  })
  const distinct = new Map([...found, ...searched].map((item) => [`${item.path} ${item.name}`, item]))
  return [...distinct.values()].slice(0, parametersMax)
}

function parametersIn(target: string): readonly Parameter[] {
  const at = target.indexOf('?')
  if (at === -1) return []
  const query = [...new URLSearchParams(target.slice(at + 1))]
  return query.map(([name, value]) => ({ path: target.slice(0, at), query, name, value }))
}

function isFile({ name, value }: Parameter): boolean {
  return fileValue.test(value) || fileName.test(name)
}

async function firstProof(
  parameters: readonly Parameter[],
  prove: (parameter: Parameter) => Promise<Proof | null>,
): Promise<Proof | null> {
  for (const parameter of parameters) {
    const proof = await prove(parameter)
    if (proof) return proof
  }
  return null
}

async function readsPasswords(context: NativeContext, parameter: Parameter): Promise<Proof | null> {
  for (const value of [`${climb}etc/passwd`, '/etc/passwd']) {
    const response = await requestWith(context, parameter, value)
    const [line] = passwords.exec(response?.body ?? '') ?? []
    if (response?.status !== 200 || line === undefined) continue
    const control = await requestWith(context, parameter, `${value}-${randomBytes(6).toString('hex')}`)
    if (!control || passwords.test(control.body)) continue
    return { ...webProof(response, [line]), path: parameter.path }
  }
  return null
}

async function reflectsMarkup(context: NativeContext, parameter: Parameter): Promise<Proof | null> {
  const tag = `<g${randomBytes(6).toString('hex')}>`
  const response = await requestWith(context, parameter, `${parameter.value}"'${tag}`)
  if (response?.status !== 200 || !runsMarkup(response, tag)) return null
  return { ...webProof(response, [tag]), path: parameter.path }
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

function requestWith(context: NativeContext, { path, query, name }: Parameter, value: string) {
  const others = query.filter(([key]) => key !== name)
  const pairs = [...others, [name, value] as const].map((pair) => pair.map(encodeURIComponent).join('='))
  return requestWeb(context, { target: `${path}?${pairs.join('&')}` })
}
