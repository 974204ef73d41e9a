/** `/assets/{id}/software`: what the agent on a host reports about its machine. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PackageSearch } from 'lucide-react'
import { MachineInventory } from '#agents/machine-inventory.tsx'
import { detail } from '#hosts/queries.ts'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/assets/$id/software')

export function HostSoftwareScreen() {
  const { id } = route.useParams()
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { inventoryAgentId } = useSuspenseQuery(detail(id)).data.host
  if (inventoryAgentId === undefined)
    return (
      <EmptyState icon={<PackageSearch />} title="No inventory of this host">
        An agent that runs on this host reports its packages, listening sockets, and containers if you turn on its
        inventory.
      </EmptyState>
    )
  return (
    <div className="pb-8">
      <MachineInventory
        agentId={inventoryAgentId}
        q={q}
        onSearch={(text) => void navigate({ search: { q: text || undefined }, replace: true, resetScroll: false })}
      />
    </div>
  )
}
