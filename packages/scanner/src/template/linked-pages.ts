/** Matches the checks of the front page against other pages that this scan has already read. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpResponse } from '#net/http-message.ts'
import { variantsOf, type Group, type Member } from '#template/groups.ts'
import { candidatesOf, markBroken, matchExchange, type HttpRun } from '#template/match-http.ts'
import type { Exchange } from '#template/redirects.ts'
import type { ServiceEvent } from '#template/service-run.ts'
import { Stopped } from '#unit.ts'

/** A page, or a request for credentials. */
const statuses: ReadonlySet<number> = new Set([200, 401])
const otherType =
  /^(?:image|font|audio|video)\/|^(?:text|application)\/(?:x-)?(?:css|javascript|ecmascript|octet-stream|zip|gzip)\b/i

/**
 * An application is often not at the root of its server, and a page with a form is rarely the front page. Only the
 * verification of a match sends requests.
 */
export async function* matchLinkedPages(work: HttpRun, groups: readonly Group[]): AsyncGenerator<ServiceEvent> {
  const variants = groups.flatMap((group) => (group.isFront ? variantsOf(group) : []))
  if (variants.length === 0) return
  for (const exchange of pagesOf(work)) {
    for (const { members } of variants) {
      await nextTurn()
      yield* matchPage(work, exchange, members)
    }
  }
}

async function* matchPage(work: HttpRun, exchange: Exchange, members: readonly Member[]): AsyncGenerator<ServiceEvent> {
  const candidates = candidatesOf(members, exchange.response)
  for (const [at, member] of members.entries()) {
    if (candidates?.[at] === 0 || work.found.has(member.template)) continue
    try {
      const isInconclusive = yield* matchExchange(work, { path: exchange.path, exchange }, member)
      if (isInconclusive) markBroken(work, member.template)
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
      markBroken(work, member.template, error.message)
    }
  }
}

/** Each content once, in the order in which the pages were read: those that the site links to come first. */
function* pagesOf({ client, run, basePath, calibration }: HttpRun): Iterable<Exchange> {
  const { origin, allowance } = run
  const pages = client.pagesOf(origin)
  const front = pages.find(({ request }) => request.path === basePath)
  const seen = new Set([...calibration.responses, ...(front ? [front.response] : [])].map(digestOf))
  for (const { request, response } of pages) {
    const { path } = request
    const isKnown = path === basePath || !path.startsWith(basePath) || seen.has(digestOf(response))
    if (isKnown || !statuses.has(response.status) || otherType.test(typeOf(response))) continue
    if (allowance.linkedPages === 0) return
    allowance.linkedPages -= 1
    seen.add(digestOf(response))
    yield { origin, path, request, response }
  }
}

function typeOf({ headers }: HttpResponse): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
}

function digestOf({ status, body }: HttpResponse): string {
  return `${status} ${createHash('sha256').update(body).digest('base64url')}`
}
