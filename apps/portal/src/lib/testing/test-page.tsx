/** Test environment for whole pages. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { type Service, sessionOf, startService } from '#lib/testing/service.ts'
import { clearToasts } from '#lib/testing/toasts.ts'

export interface TestPage {
  /** Signed in; tests define all other responses. */
  readonly service: Service
  readonly client: QueryClient
  show(page: ReactNode): void
  /** Unmounts the page, clears toasts, and stops the service once no requests are pending. */
  close(): Promise<void>
}

export async function startTestPage(): Promise<TestPage> {
  const service = await startService()
  service.on('GET /sessions/whoami', { body: sessionOf() })
  const client = createQueryClient()
  return {
    service,
    client,
    show: (page) => void render(<QueryClientProvider client={client}>{page}</QueryClientProvider>),
    async close() {
      cleanup()
      await client.cancelQueries()
      clearToasts()
      await service.close()
    },
  }
}
