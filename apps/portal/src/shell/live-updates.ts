/** Refreshes the page on server-sent events. */
import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiFileUrl } from '#api/call.ts'
import { refreshAll } from '#api/query.ts'
import { isServerReachable } from '#lib/server-reachable.ts'

/** A running scan sends this event often; only scan pages depend on it. */
const progressEvent = 'EVENT_SCAN_CHANGED'
/** Events within this time refresh the page once. */
const batchMs = 500

const kinds = [
  ...['OPENED', 'REGRESSED', 'RESOLVED', 'IGNORED', 'CHANGED'].map((word) => `EVENT_ISSUE_${word}`),
  ...['STARTED', 'CHANGED', 'COMPLETED', 'FAILED', 'CANCELLED'].map((word) => `EVENT_SCAN_${word}`),
  ...['CONNECTED', 'CHANGED', 'DISCONNECTED'].map((word) => `EVENT_AGENT_${word}`),
  'EVENT_THREAT_EMERGING',
]

/** How often to probe an unreachable server, in milliseconds. */
const probeIntervalMs = 3000

/**
 * Listens while the tab is visible, because browsers limit the connections per server. Without events, pages fall back
 * to polling.
 *
 * @returns true while the server is unreachable; once it is back, all data on screen is refetched
 */
export function useLiveUpdates(): boolean {
  const client = useQueryClient()
  const [isAway, setIsAway] = useState(false)
  useEffect(() => {
    if (typeof EventSource === 'undefined') return
    const gathered = batchEvents(client)
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

interface ConnectionCallbacks {
  readonly onAway: () => void
  readonly onBack: () => void
}

/**
 * Streams end for many reasons and reconnect automatically. The server counts as unreachable only if a request fails
 * too.
 */
function listenWhileVisible(note: (event: Event) => void, { onAway, onBack }: ConnectionCallbacks): () => void {
  let source: EventSource | null = null
  let waiting: ReturnType<typeof setTimeout> | undefined
  let isAsking = false
  let isAway = false
  const open = () => {
    if (source) return
    source = new EventSource(apiFileUrl('/v1/events'), { withCredentials: true })
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
    const answers = await isServerReachable()
    isAsking = false
    if (!source) return
    if (!answers) {
      waiting = setTimeout(() => void ask(), probeIntervalMs)
      if (!isAway) onAway()
    } else if (isAway) {
      // EventSource doesn't reconnect after an error response, for example from a proxy.
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

function batchEvents(client: QueryClient) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isProgressOnly = true
  const flush = () => {
    void refreshAll(client, isProgressOnly ? { only: '/v1/scans' } : {})
    timer = undefined
    isProgressOnly = true
  }
  return {
    note: ({ type }: { readonly type: string }) => {
      isProgressOnly &&= type === progressEvent
      timer ??= setTimeout(flush, batchMs)
    },
    stop: () => clearTimeout(timer),
  }
}
