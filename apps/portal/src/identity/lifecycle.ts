/** The life of a flow on a page: without an id it is created and the address carries its id; with one it is fetched. */
import type { Flow } from '@glacis/contract/identity'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { createFlow, type FlowKind, getFlow, type NewFlowQuery } from '#identity/client.ts'
import { type Departure, departureFor } from '#identity/failure.ts'

/** A flow that was just created or answered is not asked for again within this time, in milliseconds. */
const freshMs = 30_000

/** A flow in the cache, where the answers to its submissions are put too. */
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

/** A page of the portal that a flow lives on. */
export type FlowPage = '/login' | '/registration' | '/recovery' | '/verification' | '/profile'

export interface FlowVisit {
  readonly kind: FlowKind
  readonly page: FlowPage
  /** Everything the address carries, the flow's id among it. */
  readonly search: { readonly flow?: string | undefined }
  readonly newFlow: NewFlowQuery
  /** Full address of the page. */
  readonly here: string
}

/**
 * Gives the flow that the address names. Without one a new flow starts and the address is replaced
 * by one that names it; a flow that cannot be fetched is dropped from the address and a new one starts.
 *
 * @throws a redirect of the router in every case but success.
 * @throws what the service refused with, when it has no meaning for the portal.
 */
export async function openFlow(client: QueryClient, visit: FlowVisit): Promise<Flow> {
  const { kind, search } = visit
  if (!search.flow) throw await startFlow(client, visit)
  try {
    return await client.fetchQuery(flowQuery(kind, search.flow))
  } catch (error) {
    const departure = departureFor(error, visit.here, kind)
    if (departure && departure.kind !== 'error') throw redirectTo(departure)
    throw redirectWithFlow(visit, undefined)
  }
}

async function startFlow(client: QueryClient, visit: FlowVisit) {
  try {
    const flow = await createFlow(visit.kind, visit.newFlow)
    client.setQueryData(flowQuery(visit.kind, flow.id).queryKey, flow)
    return redirectWithFlow(visit, flow.id)
  } catch (error) {
    const departure = departureFor(error, visit.here, visit.kind)
    if (departure) return redirectTo(departure)
    throw error
  }
}

function redirectWithFlow({ page, search }: FlowVisit, flow: string | undefined) {
  return redirect({ to: page, search: { ...search, flow }, replace: true })
}

/** A departure as the router throws it. */
export function redirectTo(departure: Departure) {
  switch (departure.kind) {
    case 'login':
      return redirect({ to: '/login', search: departure.search, replace: true })
    case 'profile':
      return redirect({ to: '/profile', replace: true })
    case 'error':
      return redirect({ to: '/error', search: { id: departure.id }, replace: true })
    case 'address':
      // An address of the service may have the portal's origin; its pages are not the router's.
      return redirect({ href: departure.href, reloadDocument: true })
  }
}
