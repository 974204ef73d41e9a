import { lookup } from 'node:dns/promises'
import { withDeadline } from '#net/deadline.ts'

/** The addresses of a name, or the reason there are none. */
export type Resolution =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  | { readonly kind: 'failure'; readonly reason: string }

/**
 * Resolves a host name once, like the operating system (including the hosts file). The caller pins
 * the result; nothing later in a scan resolves the name again.
 *
 * @throws only when `signal` aborts, with its reason
 */
export async function resolveName(
  name: string,
  { signal, deadlineMs = 5000 }: { signal: AbortSignal; deadlineMs?: number },
): Promise<Resolution> {
  const answer = lookup(name, { all: true, order: 'verbatim' }).then(
    (found) => found.map(({ address }) => address),
    (error: NodeJS.ErrnoException) => `${name} could not be resolved (${error.code ?? error.message})`,
  )
  const outcome = await withDeadline(answer, deadlineMs, signal)
  if (outcome === undefined)
    return { kind: 'failure', reason: `${name} could not be resolved within ${deadlineMs / 1000} s` }
  if (typeof outcome === 'string') return { kind: 'failure', reason: outcome }
  return { kind: 'addresses', addresses: [...new Set(outcome)] }
}
