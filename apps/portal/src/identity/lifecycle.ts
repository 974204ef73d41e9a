/** Lifecycle of a flow on a page: created without an ID in the URL, fetched with one. */
import type { Flow } from '@glacis/contract/identity'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { createFlow, getFlow, type NewFlowQuery } from '#identity/client.ts'
import type { FlowKind } from '#identity/flow-kind.ts'
import { type RedirectTarget, redirectTargetFor } from '#identity/failure.ts'

/** How long a flow stays fresh after creation or submission, in milliseconds. */
const freshMs = 30_000

/** Query of a flow. Submission results are written to the same cache entry. */
export function flowQuery(kind: FlowKind, id: string) {
  return queryOptions({
    queryKey: ['identity', 'flow', kind, id] as const,
    queryFn: ({ signal }) => getFlow(kind, id, signal),
    staleTime: freshMs,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

/** The portal's pages that show a flow. */
export type FlowPage = '/login' | '/registration' | '/recovery' | '/verification' | '/profile'

export interface FlowVisit {
  readonly kind: FlowKind
  readonly page: FlowPage
  /** Search params of the page, including the flow's ID. */
  readonly search: { readonly flow?: string | undefined }
  readonly newFlow: NewFlowQuery
  /** Full URL of the page. */
  readonly here: string
}

/**
 * Returns the flow named in the URL. Without one, creates a flow and redirects to a URL with its ID. A flow that can't
 * be fetched is removed from the URL, which then creates a new one.
 *
 * @throws a router redirect in every case but success.
 * @throws IdentityFailure if the error doesn't redirect.
 */
export async function openFlow(client: QueryClient, visit: FlowVisit): Promise<Flow> {
  const { kind, search } = visit
  if (!search.flow) throw await startFlow(client, visit)
  try {
    return await client.fetchQuery(flowQuery(kind, search.flow))
  } catch (error) {
    const target = redirectTargetFor(error, visit.here, kind)
    if (target && target.kind !== 'error') throw redirectTo(target)
    throw redirectWithFlow(visit, undefined)
  }
}

async function startFlow(client: QueryClient, visit: FlowVisit) {
  try {
    const flow = await createFlow(visit.kind, visit.newFlow)
    client.setQueryData(flowQuery(visit.kind, flow.id).queryKey, flow)
    return redirectWithFlow(visit, flow.id)
  } catch (error) {
    const target = redirectTargetFor(error, visit.here, visit.kind)
    if (target) return redirectTo(target)
    throw error
  }
}

function redirectWithFlow({ page, search }: FlowVisit, flow: string | undefined) {
  return redirect({ to: page, search: { ...search, flow }, replace: true })
}

/** Converts a redirect target to a router redirect. */
export function redirectTo(target: RedirectTarget) {
  switch (target.kind) {
    case 'login':
      return redirect({ to: '/login', search: target.search, replace: true })
    case 'profile':
      return redirect({ to: '/profile', replace: true })
    case 'error':
      return redirect({ to: '/error', search: { id: target.id }, replace: true })
    case 'address':
      // The service may share the portal's origin, but the router can't handle its pages.
      return redirect({ href: target.href, reloadDocument: true })
  }
}
