/** Pending views of detail pages. They show the item's name if a list has already loaded it. */
import type { Agent } from '@glacis/contract/agent'
import type { Host } from '@glacis/contract/host'
import type { Issue } from '@glacis/contract/issue'
import type { Product } from '@glacis/contract/product'
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DetailSkeleton } from '#ui/detail-skeleton.tsx'
import { Crumb } from '#ui/page-head.tsx'

const risks = {
  VERIFICATION_VERIFIED: <Crumb to="/risks/verified">Verified risks</Crumb>,
  VERIFICATION_UNVERIFIED: <Crumb to="/risks/potential">Potential risks</Crumb>,
} as const

export const PendingRisk = pendingOf<Issue>({
  list: '/v1/issues',
  member: 'issues',
  nameOf: ({ name }) => name,
  crumbOf: (issue) =>
    issue?.verification === 'VERIFICATION_UNVERIFIED' ? risks.VERIFICATION_UNVERIFIED : risks.VERIFICATION_VERIFIED,
})
export const PendingTarget = pendingOf<Target>({
  list: '/v1/targets',
  member: 'targets',
  nameOf: ({ name }) => name,
  crumbOf: () => <Crumb to="/scope">Scope</Crumb>,
})
export const PendingAgent = pendingOf<Agent>({
  list: '/v1/agents',
  member: 'agents',
  nameOf: ({ name }) => name,
  crumbOf: () => <Crumb to="/agents">Agents</Crumb>,
})
export const PendingAsset = pendingOf<Host>({
  list: '/v1/hosts',
  member: 'hosts',
  nameOf: ({ name, address }) => name || address,
  crumbOf: () => <Crumb to="/assets">Assets</Crumb>,
})
export const PendingTechnology = pendingOf<Product>({
  list: '/v1/products',
  member: 'products',
  nameOf: ({ name, version }) => `${name} ${version}`.trim(),
  crumbOf: () => <Crumb to="/technologies">Technologies</Crumb>,
})
export const PendingScan = pendingOf<Scan>({
  list: '/v1/scans',
  member: 'scans',
  nameOf: ({ target }) => `Scan of ${target?.name ?? 'a deleted target'}`,
  crumbOf: () => <Crumb to="/scans">Reporting</Crumb>,
})

interface Kind<Thing> {
  /** Path of the list endpoint, used to find its cached responses without loading the endpoint. */
  readonly list: string
  readonly member: string
  readonly nameOf: (thing: Thing) => string
  readonly crumbOf: (thing: Thing | undefined) => ReactNode
}
function pendingOf<Thing extends { readonly id: string }>({ list, member, nameOf, crumbOf }: Kind<Thing>) {
  return function Pending() {
    const { id } = useParams({ strict: false })
    const lists = useQueryClient().getQueriesData<Readonly<Record<string, readonly Thing[] | undefined>>>({
      queryKey: [list],
    })
    const thing = lists.flatMap(([, response]) => response?.[member] ?? []).find((entity) => entity.id === id)
    return <DetailSkeleton name={thing && nameOf(thing)} crumbs={crumbOf(thing)} />
  }
}
