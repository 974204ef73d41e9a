/** What is changed in one tab of this browser, brought to the others: not every change is an event of the account. */
import type { QueryClient } from '@tanstack/react-query'
import { refreshAll } from '#api/query.ts'

/** Tells the other tabs of whatever this one changes, and reads anew what they have changed. Returns the way to stop. */
export function followOtherTabs(client: QueryClient): () => void {
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
