/** Parameters of links and search forms on the start page that reach the file system or the page unchecked. */
import { randomBytes } from 'node:crypto'
import { readDescription } from '#native/api-description.ts'
import { debugSignsIn, sqlErrorIn } from '#native/debug-pages.ts'
import { checkInfo } from '#native/native-check.ts'
import type { NativeCheck, NativeContext, Proof } from '#native/native-check.ts'
import {
  describedParameters,
  distinct,
  isFile,
  isUrl,
  linkedItems,
  linkedPages,
  type Parameter,
  parametersOf,
  plainPaths,
} from '#native/parameters.ts'
import {
  evaluatesTemplate,
  interpolatesText,
  requestForgery,
  requestsUrl,
  templateInjection,
  textInterpolation,
  urlFoldersOf,
} from '#native/server-evaluation.ts'
import { commandInjection, isRedirect, openRedirect, redirectsAway, runsCommand } from '#native/server-commands.ts'
import { addsAttribute, type Attempt, reflectedMarkup, scripting } from '#native/reflected-markup.ts'
import { requestWeb, webProof, type WebResponse } from '#native/web-request.ts'
import { readPages } from '#native/site-pages.ts'
import { readSite, type WebSite } from '#native/web-site.ts'

const traversal = checkInfo({
  id: 'path-traversal-linked-parameter',
  name: 'Path traversal in a parameter of the application',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
  score: 7.5,
  summary:
    'A parameter that the application itself uses in a link accepts a path outside the intended folder. The check read /etc/passwd with it.',
  impact: 'An attacker can read the files of the application and the system, including keys and passwords.',
  remediation:
    'Resolve the path and reject it unless it is inside the intended folder, or map identifiers to files instead of accepting names.',
  reference: 'https://cwe.mitre.org/data/definitions/22.html',
  tags: 'lfi traversal files',
})
const injection = checkInfo({
  id: 'sql-injection-error',
  name: 'SQL injection in a parameter of the application',
  severity: 'critical',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  score: 9.8,
  summary:
    'A quotation mark in a parameter of a link or search form makes the database report a syntax error that does not occur without it: the value is inserted into an SQL statement without escaping.',
  impact: 'An attacker can read and often change the database, and in some configurations run commands on its host.',
  remediation: 'Pass values to the database as bound parameters, never as parts of the statement.',
  reference: 'https://cwe.mitre.org/data/definitions/89.html',
  tags: 'sqli injection',
})
export const debugPage = checkInfo({
  id: 'debug-page-exposed',
  name: 'Debug pages of a web framework exposed',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'The application runs in development mode: its home page, a page that it links to, or its response to an unknown path or to an invalid or missing parameter shows a stack trace or a developer toolbar.',
  impact:
    'An attacker learns the code, paths, versions, and in many cases settings of the application, which helps in finding and exploiting other weaknesses.',
  remediation:
    'Run the application in production mode, and show a generic error page. For example, set `NODE_ENV=production` for Node.js, Bun, and Sails, start Plack with `plackup -E deployment`, and set `displayErrorDetails` to `false` in Slim.',
  reference: 'https://cwe.mitre.org/data/definitions/489.html',
  tags: 'exposure debug error',
})

const itemsMax = 4
const climb = '../'.repeat(12)
const passwords = /^root:[^:\n]{0,200}:0:0:[^\n]{0,300}/m

export const webParameters: NativeCheck = {
  checks: [
    traversal,
    scripting,
    injection,
    debugPage,
    templateInjection,
    textInterpolation,
    requestForgery,
    commandInjection,
    openRedirect,
  ],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const site = await readSite(context)
    if (!site) return {}
    const description = await readDescription(context)
    const described = description ? describedParameters(description, site.base) : []
    const { pages: linked, scripts } = await readPages(context, site)
    const items = distinct(linked.flatMap((front) => linkedItems({ front, base: site.base }))).slice(0, itemsMax)
    const parameters = distinct([...parametersOf(linked, scripts), ...items, ...described])
    const attempts = await attemptsOf(context, parameters)
    const pages = [
      ...linked,
      site.unknown,
      ...attempts.map(({ response, parameter }) => ({ ...response, path: parameter.path })),
    ]
    const repeated = attempts.filter(isRepeated)
    const interpolated = await interpolation(context, repeated)
    return {
      [traversal.id]: await firstProof(parameters.filter(isFile), (item) => readsPasswords(context, item)),
      [scripting.id]:
        reflectedMarkup(attempts) ??
        (await firstProof(repeated, (attempt) =>
          addsAttribute(attempt, (value) => requestWith(context, attempt.parameter, value)),
        )),
      [injection.id]: await firstProof(attempts, (attempt) => endsStatement(context, attempt)),
      [debugPage.id]: shownDebugPage(pages) ?? (await linkedDebugPage(context, parameters, linkedPages(site))),
      [templateInjection.id]:
        interpolated.decoded ??
        (await firstProof(repeated, ({ parameter }) =>
          provedBy(
            parameter,
            evaluatesTemplate((value) => requestWith(context, parameter, value)),
          ),
        )),
      [textInterpolation.id]: interpolated.resolved,
      [requestForgery.id]:
        (await firstProof(parameters.filter(isUrl), (parameter) =>
          provedBy(
            parameter,
            requestsUrl(context, site.front, (value) => requestWith(context, parameter, value)),
          ),
        )) ?? (await forgeryInPath(context, site, parameters.some(isUrl))),
      [commandInjection.id]: await firstProof(attempts, ({ parameter }) =>
        provedBy(
          parameter,
          runsCommand((value) => requestWith(context, parameter, `${parameter.value}${value}`)),
        ),
      ),
      [openRedirect.id]: await firstProof(parameters.filter(isRedirect), (parameter) =>
        provedBy(
          parameter,
          redirectsAway((value) => requestWith(context, parameter, value)),
        ),
      ),
    }
  },
}

async function interpolation(context: NativeContext, attempts: readonly Attempt[]) {
  for (const { parameter } of attempts) {
    const { decoded, resolved } = await interpolatesText((value) => requestWith(context, parameter, value))
    const { path } = parameter
    if (decoded) return { decoded: { ...decoded, path }, resolved: resolved && { ...resolved, path } }
  }
  return { decoded: null, resolved: null }
}

function forgeryInPath(context: NativeContext, site: WebSite, hasUrl: boolean): Promise<Proof | null> {
  return firstProof(urlFoldersOf(site, { hasUrl }), async (folder) => {
    const send = (url: string) =>
      requestWeb(context, { target: `${folder}${url}`, headers: { Accept: 'text/html,*/*;q=0.8' } })
    const proof = await requestsUrl(context, site.front, send)
    return proof && { ...proof, path: folder }
  })
}

async function provedBy({ path }: Parameter, proving: Promise<Proof | null>): Promise<Proof | null> {
  const proof = await proving
  return proof && { ...proof, path }
}

async function firstProof<Item>(
  items: readonly Item[],
  prove: (item: Item) => Promise<Proof | null>,
): Promise<Proof | null> {
  for (const item of items) {
    const proof = await prove(item)
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

async function attemptsOf(context: NativeContext, parameters: readonly Parameter[]): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  for (const parameter of parameters) {
    const tag = `<g${randomBytes(6).toString('hex')}>`
    const response = await requestWith(context, parameter, `${parameter.value}"'${tag}`)
    if (response) attempts.push({ parameter, tag, response })
  }
  return attempts
}

/** Whether the page contains the value in any form. */
function isRepeated({ tag, response }: Attempt): boolean {
  return response.body.includes(tag.slice(1, -1))
}

async function endsStatement(context: NativeContext, { parameter, response }: Attempt): Promise<Proof | null> {
  const error = sqlErrorIn(response.body)
  if (error === undefined) return null
  const control = await requestWith(context, parameter, parameter.value)
  if (!control || sqlErrorIn(control.body) !== undefined) return null
  return { ...webProof(response, [error]), path: parameter.path }
}

function shownDebugPage(pages: readonly (WebResponse & { readonly path: string })[]): Proof | null {
  for (const page of pages) {
    const signs = debugSignsIn(page)
    if (signs) return { ...webProof(page, signs), path: page.path }
  }
  return null
}

const plainPagesMax = 4

/**
 * The debug page that a linked page, a linked item, or a request without its parameter returns to a client that isn't a
 * browser.
 */
function linkedDebugPage(
  context: NativeContext,
  parameters: readonly Parameter[],
  pages: readonly string[],
): Promise<Proof | null> {
  const paths = new Set([...plainPaths(parameters), ...pages])
  return firstProof([...paths].slice(0, plainPagesMax), async (path) => {
    const page = await requestWeb(context, { target: path })
    return page ? shownDebugPage([{ ...page, path }]) : null
  })
}

function requestWith(context: NativeContext, { path, query, name, isInPath }: Parameter, value: string) {
  const headers = { Accept: 'text/html,*/*;q=0.8' }
  if (isInPath)
    return requestWeb(context, { target: path.replace(`{${name}}`, () => encodeURIComponent(value)), headers })
  const others = query.filter(([key]) => key !== name)
  const pairs = [...others, [name, value] as const].map((pair) => pair.map(encodeURIComponent).join('='))
  return requestWeb(context, { target: `${path}?${pairs.join('&')}`, headers })
}
