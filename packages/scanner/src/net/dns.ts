import { lookup } from 'node:dns/promises'
import { withDeadline } from '#net/deadline.ts'
import { queryResolver } from '#net/resolver.ts'

/** The addresses of a name, or the reason there are none. */
export type Resolution =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failure'; readonly reason: string }

/**
 * Resolves a hostname once, like the operating system (including the hosts file). The caller pins
 * the result; nothing later in a scan resolves the name again.
 *
 * @param servers addresses with an optional port, queried instead of the system resolver
 * @throws only when `signal` aborts, with its reason
 */
export async function resolveName(
  name: string,
  { signal, deadlineMs = 5000, servers }: { signal: AbortSignal; deadlineMs?: number; servers?: readonly string[] },
): Promise<Resolution> {
  if (servers) return resolveAt(name, servers, signal)
  const response = lookup(name, { all: true, order: 'verbatim' }).then(
    (records) => records.map(({ address }) => address),
    (error: NodeJS.ErrnoException) => `${name} could not be resolved (${error.code ?? error.message})`,
  )
  const outcome = await withDeadline(response, deadlineMs, signal)
  if (outcome === undefined)
    return { kind: 'failure', reason: `${name} could not be resolved within ${deadlineMs / 1000} s` }
  if (typeof outcome === 'string') return { kind: 'failure', reason: outcome }
  return { kind: 'addresses', addresses: [...new Set(outcome)] }
}

async function resolveAt(name: string, servers: readonly string[], signal: AbortSignal): Promise<Resolution> {
  const responses = await Promise.all(['A', 'AAAA'].map((type) => queryResolver(name, type, { signal, servers })))
  const records = responses.flatMap((response) => response?.answer ?? [])
  const addresses = records.flatMap(({ type, value }) => (type === 'A' || type === 'AAAA' ? value : []))
  if (addresses.length > 0) return { kind: 'addresses', addresses: [...new Set(addresses)] }
  return { kind: 'failure', reason: `${name} could not be resolved at ${servers.join(', ')}` }
}
