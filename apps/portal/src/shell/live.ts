/** What happens on the server, brought to the page while it is looked at. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiAddress } from '#api/call.ts'
import { serverAnswers } from '#lib/reach.ts'

/** What a kind of event makes stale, as the beginnings of the paths of calls. */
const touched: readonly { readonly kind: string; readonly paths: readonly string[] }[] = [
  { kind: 'EVENT_SCAN_CHANGED', paths: ['/v1/scans'] },
  {
    kind: 'EVENT_SCAN_',
    paths: [
      '/v1/scans',
      '/v1/targets',
      '/v1/stats',
      '/v1/hosts',
      '/v1/products',
      '/v1/issues',
      '/v1/onboarding',
      '/v1/billing',
    ],
  },
  { kind: 'EVENT_ISSUE_', paths: ['/v1/issues', '/v1/stats', '/v1/ecosystem', '/v1/hosts', '/v1/targets'] },
  { kind: 'EVENT_AGENT_', paths: ['/v1/agents', '/v1/targets', '/v1/onboarding'] },
  { kind: 'EVENT_THREAT_', paths: ['/v1/issues', '/v1/stats', '/v1/products'] },
]
/** Events of one moment refresh the page once. */
const gatherMs = 500

/** Paths of the calls whose answers an event has made stale. */
export function staleAfter(kind: string): readonly string[] {
  return touched.find((one) => kind.startsWith(one.kind))?.paths ?? []
}

const kinds = [
  ...['OPENED', 'REGRESSED', 'RESOLVED', 'IGNORED', 'CHANGED'].map((word) => `EVENT_ISSUE_${word}`),
  ...['STARTED', 'CHANGED', 'COMPLETED', 'FAILED', 'CANCELLED'].map((word) => `EVENT_SCAN_${word}`),
  ...['CONNECTED', 'CHANGED', 'DISCONNECTED'].map((word) => `EVENT_AGENT_${word}`),
  'EVENT_THREAT_EMERGING',
]

/** How often a server that fell silent is asked whether it is back, in milliseconds. */
const askAgainMs = 3000

/**
 * Listens while the tab is visible: browsers keep few connections to a server, and a hidden tab
 * needs none. Whoever cannot listen polls, as every page does on its own.
 *
 * @returns true while the server does not answer; once it does again, all that is shown is read anew
 */
export function useLive(): boolean {
  const client = useQueryClient()
  const [isAway, setIsAway] = useState(false)
  useEffect(() => {
    if (typeof EventSource === 'undefined') return
    const gathered = gather(client)
    const stop = listenWhileVisible(gathered.note, {
      onAway: () => setIsAway(true),
      onBack: () => {
        setIsAway(false)
        void client.invalidateQueries()
      },
    })
    return () => {
      gathered.stop()
      stop()
    }
  }, [client])
  return isAway
}

interface Turns {
  readonly onAway: () => void
  readonly onBack: () => void
}

/** Streams end for many reasons, and the browser connects again: the server is away when it cannot be asked either. */
function listenWhileVisible(note: (event: Event) => void, { onAway, onBack }: Turns): () => void {
  let source: EventSource | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isAway = false
  const open = () => {
    if (source) return
    source = new EventSource(apiAddress('/v1/events'), { withCredentials: true })
    for (const kind of kinds) source.addEventListener(kind, note)
    source.addEventListener('error', () => void ask())
  }
  const close = () => {
    clearTimeout(waiting)
    source?.close()
    source = null
  }
  async function ask(): Promise<void> {
    if (isAsking) return
    isAsking = true
    clearTimeout(waiting)
    const answers = await serverAnswers()
    isAsking = false
    if (!source) return
    if (!answers) {
      waiting = setTimeout(() => void ask(), askAgainMs)
      if (!isAway) onAway()
    } else if (isAway) {
      // The browser does not try again where a proxy answered in the server's place.
      close()
      open()
      onBack()
    }
    isAway = !answers
  }
  const look = () => {
    if (document.visibilityState !== 'visible') return close()
    open()
    if (isAway) void ask()
  }
  look()
  document.addEventListener('visibilitychange', look)
  return () => {
    document.removeEventListener('visibilitychange', look)
    close()
  }
}

function gather(client: QueryClient) {
  const stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    timer = undefined
    const paths = [...stale]
    stale.clear()
    void client.invalidateQueries({
      predicate: ({ queryKey: [path] }) => typeof path === 'string' && paths.some((start) => path.startsWith(start)),
    })
  }
  return {
    note: ({ type }: { readonly type: string }) => {
      for (const path of staleAfter(type)) stale.add(path)
      timer ??= setTimeout(flush, gatherMs)
    },
    stop: () => clearTimeout(timer),
  }
}
