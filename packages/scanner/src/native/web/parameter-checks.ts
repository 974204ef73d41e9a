/** Parameters of links and search forms on the start page that reach the file system or the page unchecked. */
import { randomBytes } from 'node:crypto'
import { type Collection, collectionsOf } from '#native/web/api-answers.ts'
import { readDescription } from '#native/web/api-description.ts'
import { debugSignsIn, sqlErrorIn } from '#native/web/debug-pages.ts'
import { checkInfo, type NativeCheck, type NativeContext, type Proof } from '#native/native-check.ts'
import {
  describedParameters,
  distinct,
  isFile,
  isUrl,
  linkedItems,
  linkedPages,
  type Parameter,
  placeOf,
  parametersOf,
  plainPaths,
  withOwnHost,
} from '#native/web/parameters.ts'
import {
  proveTemplateInjection,
  proveTextInterpolation,
  requestForgery,
  proveRequestForgery,
  templateInjection,
  textInterpolation,
  urlFoldersOf,
} from '#native/web/server-evaluation.ts'
import { conditionInjection, proveSqlError, errorInjection, proveSqlCondition } from '#native/web/sql-injection.ts'
import { fileTraversal, phpInclusion, proveFileTraversal, provePhpInclusion } from '#native/web/server-files.ts'
import { addsHeader, addsHeaderToRedirect, headerInjection } from '#native/web/header-injection.ts'
import {
  commandInjection,
  isRedirect,
  openRedirect,
  provePerlOpen,
  redirectsAway,
  proveCommandInjection,
} from '#native/web/server-commands.ts'
import { addsAttribute, type Attempt, markupInPath, reflectedMarkup, scripting } from '#native/web/reflected-markup.ts'
import { expressionInjection, isExpression, proveExpressionInjection } from '#native/web/server-expressions.ts'
import { listedTargets } from '#native/web/named-paths.ts'
import { ownHost, requestWeb, webProof, type WebResponse } from '#native/web/request.ts'
import { isHit } from '#native/web/cache.ts'
import { readPages } from '#native/web/site-pages.ts'
import { readSite, type WebSite } from '#native/web/site.ts'

export const debugPage = checkInfo({
  id: 'debug-page-exposed',
  name: 'Framework debug page exposed',
  severity: 'medium',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  score: 5.3,
  summary:
    'The application runs in development mode: its home page, a page that it links to, or its response to an unknown path or to an invalid or missing parameter shows a stack trace or a developer toolbar.',
  impact:
    "An attacker learns the application's source code, paths, and versions, and often settings, and can use them to find and exploit other weaknesses.",
  remediation:
    'Run the application in production mode, and show a generic error page. For example, set `NODE_ENV=production` for Node.js, Bun, and Sails, start Plack with `plackup -E deployment`, and set `displayErrorDetails` to `false` in Slim.',
  reference: 'https://cwe.mitre.org/data/definitions/489.html',
  tags: 'exposure debug error',
  verifiedOn:
    'blacksheep bottle-debug bun-development catalyst-debug dancer2 express-errorhandler litestar-debug mojolicious plack-development quart-debug rack-puma sails-development sanic sinatra slim-error-details starlette-debug webpy-compressed webpy-debug',
})

const itemsMax = 4
export const webParameters: NativeCheck = {
  checks: [
    fileTraversal,
    phpInclusion,
    scripting,
    errorInjection,
    conditionInjection,
    headerInjection,
    debugPage,
    templateInjection,
    textInterpolation,
    requestForgery,
    commandInjection,
    expressionInjection,
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
    const robots = site.base === '/' ? await requestWeb(context, { target: '/robots.txt' }) : undefined
    const listed = (await listedTargets(context, site.base)).filter((target) => target.includes('?'))
    const texts = [
      ...scripts,
      ...(robots?.status === 200 ? [robots.body] : []),
      ...listed.map((target) => ` ${target}`),
    ]
    const usual = await repeatedNames(context, site)
    const called = (await collectionsOf(context)).flatMap(recordParameter).slice(0, calledMax)
    const found = distinct([...parametersOf(linked, texts), ...items, ...described, ...called, ...usual])
    const parameters = found.map((parameter) => withOwnHost(parameter, ownHost(context)))
    const attempts = await attemptsOf(context, parameters)
    const pages = [
      ...linked,
      site.unknown,
      ...attempts.map(({ response, parameter }) => ({ ...response, path: parameter.path })),
    ]
    const repeated = attempts.filter(isRepeated)
    const interpolated = await interpolation(context, repeated)
    const sender = (parameter: Parameter) => (value: string) => requestWith(context, parameter, value)
    const files = parameters.filter(isFile)
    const isPhp = pages.some(
      ({ path, headers }) => /\.php\b/.test(path) || headers.some(([, text]) => /\bPHP\b/i.test(text)),
    )
    const error = await firstProof(attempts, (attempt) => proveSqlError(attempt, sender(attempt.parameter)))
    return {
      [fileTraversal.id]: await firstProof(files, (item) => proveFileTraversal(item, sender(item))),
      [phpInclusion.id]: isPhp ? await firstProof(files, (item) => provePhpInclusion(item, sender(item))) : null,
      [scripting.id]:
        reflectedMarkup(attempts) ??
        reflectedMarkup(await withoutQuotes(context, attempts)) ??
        (await firstProof(repeated, (attempt) => addsAttribute(attempt, sender(attempt.parameter)))) ??
        (await markupInPath(context, site)),
      [errorInjection.id]: error,
      // The same weakness; the error shows it with fewer requests.
      [conditionInjection.id]: error
        ? null
        : await firstProof(parameters, (parameter) => proveSqlCondition(parameter, sender(parameter))),
      [headerInjection.id]:
        (await firstProof(attempts.filter(isInHeader), ({ parameter }) => addsHeader(parameter, sender(parameter)))) ??
        (namesItself(site.front)
          ? await addsHeaderToRedirect(linkedPages(site), (target) => requestWeb(context, { target }))
          : null),
      [debugPage.id]: shownDebugPage(pages) ?? (await linkedDebugPage(context, parameters, linkedPages(site))),
      [templateInjection.id]:
        interpolated.decoded ??
        (await firstProof(repeated, ({ parameter }) => provedBy(parameter, proveTemplateInjection(sender(parameter))))),
      [textInterpolation.id]: interpolated.resolved,
      [requestForgery.id]:
        (await firstProof(parameters.filter(isUrl), (parameter) =>
          provedBy(parameter, proveRequestForgery(context, site.front, sender(parameter))),
        )) ?? (await forgeryInPath(context, site, parameters.some(isUrl))),
      [commandInjection.id]:
        (await firstProof(attempts, ({ parameter }) =>
          provedBy(
            parameter,
            proveCommandInjection((value) => sender(parameter)(`${parameter.value}${value}`)),
          ),
        )) ?? (await firstProof(files, (parameter) => provedBy(parameter, provePerlOpen(sender(parameter))))),
      [expressionInjection.id]: await firstProof(parameters.filter(isExpression), (parameter) =>
        provedBy(parameter, proveExpressionInjection(sender(parameter))),
      ),
      [openRedirect.id]: await firstProof(parameters.filter(isRedirect), (parameter) =>
        provedBy(parameter, redirectsAway(sender(parameter))),
      ),
    }
  },
}

const calledMax = 3

/** `/api/orders/*`, which a script calls, as a parameter in the path. */
function recordParameter({ target, examples: [value = '1'] }: Collection): readonly Parameter[] {
  const path = target.replace('*', '{id}')
  return path.endsWith('/{id}') ? [{ path, query: [], name: 'id', value, isInPath: true }] : []
}

const usualNames = 'q s search query lang name id page ref utm_source message error'.split(' ')

/** Usual parameters whose values the start page repeats, found with one request and one before it. */
async function repeatedNames(context: NativeContext, { base }: WebSite): Promise<readonly Parameter[]> {
  // A cache that ignores queries would store the marks for all visitors.
  const fresh = await requestWeb(context, { target: `${base}?glacis=${randomBytes(6).toString('hex')}` })
  if (!fresh || isHit(fresh)) return []
  const marked = usualNames.map((name) => [name, `g${randomBytes(5).toString('hex')}`] as const)
  const query = marked.map((pair) => pair.join('=')).join('&')
  const page = await requestWeb(context, { target: `${base}?${query}`, headers: { Accept: 'text/html,*/*;q=0.8' } })
  // A page that contains the whole query has no parameter of its own.
  if (!page || page.body.includes(query)) return []
  return (
    marked
      .filter(([, mark]) => page.body.includes(mark))
      // A value of its own keeps the requests out of what a cache stores for the start page.
      .map(([name, mark]) => ({ path: base, query: [['g', mark]], name, value: '' }))
  )
}

async function interpolation(context: NativeContext, attempts: readonly Attempt[]) {
  for (const { parameter } of attempts) {
    const { decoded, resolved } = await proveTextInterpolation((value) => requestWith(context, parameter, value))
    const path = placeOf(parameter)
    if (decoded) return { decoded: { ...decoded, path }, resolved: resolved && { ...resolved, path } }
  }
  return { decoded: null, resolved: null }
}

function forgeryInPath(context: NativeContext, site: WebSite, hasUrl: boolean): Promise<Proof | null> {
  return firstProof(urlFoldersOf(site, { hasUrl }), async (folder) => {
    const send = (url: string) =>
      requestWeb(context, { target: `${folder}${url}`, headers: { Accept: 'text/html,*/*;q=0.8' } })
    const proof =
      (await proveRequestForgery(context, site.front, send)) ??
      (await proveRequestForgery(context, site.front, (url) => send(url.replace(/^https?:\/\//, ''))))
    return proof && { ...proof, path: folder }
  })
}

async function provedBy(parameter: Parameter, proving: Promise<Proof | null>): Promise<Proof | null> {
  const proof = await proving
  return proof && { ...proof, path: placeOf(parameter) }
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

async function attemptsOf(context: NativeContext, parameters: readonly Parameter[]): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  for (const parameter of parameters) {
    const tag = `<g${randomBytes(6).toString('hex')}>`
    const response = await requestWith(context, parameter, `${parameter.value}"'${tag}`)
    if (response) attempts.push({ parameter, tag, response })
  }
  return attempts
}

/** Again without quotation marks, where these caused an error. */
async function withoutQuotes(context: NativeContext, attempts: readonly Attempt[]): Promise<readonly Attempt[]> {
  const failed = attempts.filter(({ response }) => response.status >= 500 || sqlErrorIn(response.body) !== undefined)
  const again: Attempt[] = []
  for (const { parameter, tag } of failed) {
    const response = await requestWith(context, parameter, `${parameter.value}${tag}`)
    if (response) again.push({ parameter, tag, response })
  }
  return again
}

/** Whether the page contains the value in any form. */
function isRepeated({ tag, response }: Attempt): boolean {
  return response.body.includes(tag.slice(1, -1))
}

/**
 * Whether a header of the response contains the value. Node.js rejects line breaks, which ends a server that doesn't
 * expect it; such servers don't name themselves.
 */
function isInHeader({ tag, response, parameter }: Attempt): boolean {
  const isRepeatedThere = response.headers.some(([, text]) => text.includes(tag.slice(1, -1)))
  return namesItself(response) && (isRepeatedThere || isRedirect(parameter))
}

function namesItself({ headers }: WebResponse): boolean {
  return headers.some(([name]) => name.toLowerCase() === 'server')
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
