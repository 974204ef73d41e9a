/** What a test of a whole page plays on. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

export interface Stage {
  /** Somebody is signed in; the rest it is told by the test. */
  readonly service: Service
  readonly client: QueryClient
  show(page: ReactNode): void
  /** Takes the page and its notices away, and ends the service once nothing asks it any more. */
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  return {
    service,
    client,
    show: (page) => void render(<QueryClientProvider client={client}>{page}</QueryClientProvider>),
    async close() {
      cleanup()
      await client.cancelQueries()
      await clearToasts()
      await service.close()
    },
  }
}
