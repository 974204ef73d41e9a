/** Responses of an API's operations that only read to requests without authentication, read once for all checks. */
import { type Description, Operation, operationsMax, pathOf, readDescription } from '#native/api-description.ts'
import type { NativeContext } from '#native/native-check.ts'
import { scriptCalls } from '#native/script-calls.ts'
import { readPages } from '#native/site-pages.ts'
import { isChanging } from '#native/verbs.ts'
import { folderOf, pathHere, requestWeb, type WebResponse } from '#native/web-request.ts'
import { readSite } from '#native/web-site.ts'

export interface Answer {
  readonly target: string
  /** The description declares that the operation requires authentication. */
  readonly isProtected: boolean
  readonly page: WebResponse
}

export const internal = /admin|backup|config|credential|debug|dump|env|export|internal|secret|setting|token|variable/i
const operationsRead = 16
const callsRead = 8
const collectionsMax = 4
const known = new WeakMap<NativeContext, Promise<readonly Answer[] | undefined>>()

/** @returns undefined if the server didn't answer */
export function readAnswers(context: NativeContext): Promise<readonly Answer[] | undefined> {
  const reading = known.get(context) ?? read(context)
  known.set(context, reading)
  return reading
}

async function read(context: NativeContext): Promise<readonly Answer[] | undefined> {
  const description = await readDescription(context)
  if (description === undefined) return undefined
  const operations = description ? operationsOf(description, folderOf(context.basePath)) : []
  const called = (await calledPaths(context)).filter((path) => !path.includes('*')).slice(0, callsRead)
  const described = new Set(operations.map(({ target }) => target))
  const others = called.filter((target) => !described.has(target)).map((target) => ({ target, isProtected: false }))
  const answers: Answer[] = []
  for (const { target, isProtected } of [...operations, ...others]) {
    const page = await requestWeb(context, { target, headers: { Accept: 'application/json' } })
    if (page) answers.push({ target, isProtected, page })
  }
  return answers
}

/** Operations that need no parameters, those first that should be protected. */
function operationsOf(description: Description, base: string) {
  return Object.entries(description.paths)
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) => {
      const operation = Operation.safeParse(get).data
      const isCallable = operation && !operation.parameters?.some(({ required }) => required)
      if (!isCallable || !/^\/[\w./-]{1,200}$/.test(path) || isChanging(path)) return []
      const isProtected = (operation.security ?? description.security ?? []).length > 0
      return [{ target: pathOf(path, description, base), isProtected, isFirst: isProtected || internal.test(path) }]
    })
    .toSorted((left, right) => Number(right.isFirst) - Number(left.isFirst))
    .slice(0, operationsRead)
}

/** Paths of GET requests in scripts and pages, with `*` for their variable parts. */
async function calledPaths(context: NativeContext): Promise<readonly string[]> {
  const site = await readSite(context)
  if (!site) return []
  const { pages, scripts } = await readPages(context, site)
  const calls = scriptCalls([...pages.map(({ body }) => body), ...scripts])
  const paths = calls.flatMap(({ method, path }) =>
    method === 'GET' && /^\/?[\w./*-]{1,160}$/.test(path) && !isChanging(path)
      ? (pathHere(path, site.front.path) ?? [])
      : [],
  )
  return [...new Set(paths)].filter((path) => path.startsWith(site.base))
}

/** Paths whose only variable part is the last one, such as `/api/orders/*`, in the description and in scripts. */
export async function collectionsOf(context: NativeContext): Promise<readonly string[]> {
  const description = await readDescription(context)
  const base = folderOf(context.basePath)
  const described = Object.entries(description?.paths ?? {})
    .slice(0, operationsMax)
    .flatMap(([path, { get }]) =>
      get !== undefined && description && /^\/[\w./-]{1,160}\/\{\w{1,40}\}$/.test(path) && !isChanging(path)
        ? pathOf(path.replace(/\{\w+\}$/, '*'), description, base)
        : [],
    )
  const called = (await calledPaths(context)).filter((path) => /^[^*]{1,160}\/\*$/.test(path))
  return [...new Set([...described, ...called])].slice(0, collectionsMax)
}
