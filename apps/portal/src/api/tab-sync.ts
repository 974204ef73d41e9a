/** Synchronizes changes between browser tabs, because not every change raises a live event. */
import type { QueryClient } from '@tanstack/react-query'
import { refreshAll } from '#api/query.ts'

/** Notifies other tabs of this tab's mutations and refetches on theirs. Returns a cleanup function. */
export function syncTabs(client: QueryClient): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  const tabs = new BroadcastChannel('glacis.changes')
  const stop = client.getMutationCache().subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'success') tabs.postMessage('changed')
  })
  tabs.addEventListener('message', () => void refreshAll(client))
  return () => {
    stop()
    tabs.close()
  }
}
