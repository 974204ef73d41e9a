/** Test risks and members as the API returns them, and a page to render them on. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import type { Member } from '@glacis/contract/workspace'
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createQueryClient } from '#api/query.ts'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { ToastRegion } from '#ui/toasts.tsx'

export const day = '2026-11-20T08:00:00Z'
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

/** An open, critical risk on two hosts. The number determines its IDs and names. */
export function testIssue(number: number, more: Partial<Issue> = {}): Issue {
  const name = `Risk ${number}`
  return {
    id: idOf(number),
    name,
    status: 'STATUS_OPEN',
    affectedHosts: [testAffectedHost(1), testAffectedHost(2)],
    history: [{ status: 'STATUS_OPEN', timestamp: day, actor: 'scan' }],
    firstSeenTime: day,
    lastSeenTime: day,
    tags: [],
    verification: 'VERIFICATION_VERIFIED',
    priority: 98,
    threat: {
      id: idOf(number),
      name,
      summary: `Summary of ${name}`,
      impact: '',
      affected: '',
      insight: '',
      severity: { cvss: '', score: 9.8, category: 'CATEGORY_CRITICAL' },
      references: [],
    },
    ...more,
  }
}

export function testAffectedHost(number: number): AffectedHost {
  const times = { createTime: day, updateTime: day }
  const issueCount = { critical: 1, high: 0, medium: 0, low: 0 }
  return {
    target: {
      id: idOf(900),
      name: 'Web',
      address: '127.0.0.0/8',
      tags: [],
      schedule: { period: 'PERIOD_WEEKLY' },
      issueCount,
      ...times,
    },
    host: { id: idOf(100 + number), address: `127.0.0.${number}`, inventory: [], issueCount, ...times },
    status: 'STATUS_OPEN',
    history: [{ status: 'STATUS_OPEN', timestamp: day, actor: 'scan' }],
    firstSeenTime: day,
    lastSeenTime: day,
    evidence: [],
  }
}

/** Renders a page with toasts, under the paths it links to. */
export function showPage(page: ReactNode): QueryClient {
  const client = createQueryClient()
  const root = createRootRoute()
  const routes = ['/', '/risks/verified', '/risks/$id', '/scans/$id', '/assets/$id'].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => (path === '/' ? <main>{page}</main> : null) }),
  )
  const router = createRouter({ routeTree: root.addChildren(routes), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
      <ToastRegion />
    </QueryClientProvider>,
  )
  return client
}

/** An analyst; the ID is the name in lower case. */
export function testMember(name: string, more: Partial<Member> = {}): Member {
  const id = name.toLowerCase()
  return { id, name, email: `${id}@example.ch`, role: 'analyst', joinTime: day, isYou: false, ...more }
}
