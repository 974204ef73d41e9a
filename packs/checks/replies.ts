/** Responses used to build the test cases of checks. */
import type { Reply, Site, WebCase } from './servers.ts'

export const html = (body: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body: `<!doctype html><html><head><title>Shop</title></head><body>${body}</body></html>`,
})
export const plain = (body: string | Buffer): Reply => ({ headers: { 'content-type': 'text/plain' }, body })
export const json = (value: unknown): Reply => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) })

/** The page on these paths; anything else is 404. */
export function pages(routes: Readonly<Record<string, Reply>>): Site {
  return ({ path }) => (Object.hasOwn(routes, path) ? (routes[path] ?? null) : null)
}
/** A harmless page served at the path that a check requests. */
export const decent = html('<p>Nothing to see here.</p>')
export const safeHeaders = {
  'strict-transport-security': 'max-age=31536000',
  'content-security-policy': "default-src 'self'; frame-ancestors 'self'",
  'x-content-type-options': 'nosniff',
}

export function exposure(id: string, path: string, reply: Reply, instead: Reply = decent): WebCase {
  return { id, has: pages({ '/': decent, [path]: reply }), hasNot: pages({ '/': decent, [path]: instead }), at: [path.split('?')[0] ?? path] }
}

export const crlf = (text: string) => `${text}\r\n`
