/** Caches that store a page with values from headers of a single request. */
import { randomBytes } from 'node:crypto'
import { checkInfo, type NativeCheck } from '#native/native-check.ts'
import { folderOf, requestWeb, webProof } from '#native/web-request.ts'

export const cachePoisoning = checkInfo({
  id: 'web-cache-poisoning',
  name: 'Cache poisoning via the X-Forwarded-Host header',
  severity: 'high',
  cvss: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:H/A:N',
  score: 8.2,
  summary:
    'The home page contains addresses with the host of the X-Forwarded-Host header, and a cache returns that page to others. The check used a query of its own, so no other request gets the page.',
  impact: 'An attacker can make the cache deliver a page to all users that loads scripts from a foreign host.',
  remediation:
    'Use a configured host name for addresses in pages, trust X-Forwarded-Host only from your own proxy, and include it in the key of the cache.',
  reference: 'https://cwe.mitre.org/data/definitions/349.html',
  tags: 'misconfig cache http',
})

export const webCache: NativeCheck = {
  checks: [cachePoisoning],
  isPerFolder: true,
  appliesTo: ({ protocol }) => protocol === 'http',
  async run(context) {
    const host = `${randomBytes(6).toString('hex')}.example`
    const target = `${folderOf(context.basePath)}?glacis=${randomBytes(6).toString('hex')}`
    const first = await requestWeb(context, { target, headers: { 'X-Forwarded-Host': host } })
    if (!first) return {}
    if (!first.received.includes(host)) return { [cachePoisoning.id]: null }
    const next = await requestWeb(context, { target, headers: { Accept: '*/*' } })
    if (!next) return {}
    if (!next.received.includes(host)) return { [cachePoisoning.id]: null }
    // A page that lists recent requests contains the host at any address.
    const other = await requestWeb(context, { target: `${target}-other`, headers: { Accept: '*/*' } })
    if (!other) return {}
    return { [cachePoisoning.id]: other.received.includes(host) ? null : webProof(next, [host]) }
  },
}
