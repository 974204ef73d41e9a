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
  const [isUnreachable, setIsUnreachable] = useState(false)
  useEffect(() => {
    if (typeof EventSource === 'undefined') return
    const batch = batchEvents(client)
    const stop = listenWhileVisible(batch.note, {
      onUnreachable: () => setIsUnreachable(true),
      onReachable: () => {
        setIsUnreachable(false)
        void client.invalidateQueries()
      },
      onRefused: () => void refreshAll(client, { only: '/v1/workspace' }),
    })
    return () => {
      batch.stop()
      stop()
    }
  }, [client])
  return isUnreachable
}

interface ConnectionCallbacks {
  readonly onUnreachable: () => void
  readonly onReachable: () => void
  /** The server is reachable, but ended the stream. */
  readonly onRefused: () => void
}

/**
 * Streams end for many reasons and reconnect automatically. The server counts as unreachable only if a request fails
 * too.
 */
function listenWhileVisible(
  addEvent: (event: Event) => void,
  { onUnreachable, onReachable, onRefused }: ConnectionCallbacks,
): () => void {
  let source: EventSource | null = null
  let probeTimer: ReturnType<typeof setTimeout> | undefined
  let isProbing = false
  let isUnreachable = false
  const open = () => {
    if (source) return
    source = new EventSource(apiFileUrl('/v1/events'), { withCredentials: true })
    for (const kind of kinds) source.addEventListener(kind, addEvent)
    source.addEventListener('error', () => void probe())
  }
  const close = () => {
    clearTimeout(probeTimer)
    source?.close()
    source = null
  }
  async function probe(): Promise<void> {
    if (isProbing) return
    isProbing = true
    clearTimeout(probeTimer)
    const isReachable = await isServerReachable()
    isProbing = false
    if (!source) return
    // The stream also ends when the user was removed from the workspace or their role changed.
    if (isReachable) onRefused()
    if (!isReachable) {
      probeTimer = setTimeout(() => void probe(), probeIntervalMs)
      if (!isUnreachable) onUnreachable()
    } else if (isUnreachable) {
      // EventSource doesn't reconnect after an error response, for example from a proxy.
      close()
      open()
      onReachable()
    }
    isUnreachable = !isReachable
  }
  const updateConnection = () => {
    if (document.visibilityState !== 'visible') return close()
    open()
    if (isUnreachable) void probe()
  }
  updateConnection()
  document.addEventListener('visibilitychange', updateConnection)
  return () => {
    document.removeEventListener('visibilitychange', updateConnection)
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
