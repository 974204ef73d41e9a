/** `/scope` */
import type { Target } from '@glacis/contract/target'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Crosshair, Plus } from 'lucide-react'
import { useState } from 'react'
import { subscription } from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { DeleteTarget } from '#targets/delete-target.tsx'
import { list } from '#targets/queries.ts'
import { type ScopeSearch, sorted, targetsInput } from '#targets/search.ts'
import { TargetFilters } from '#targets/target-filters.tsx'
import { TargetForm } from '#targets/target-form.tsx'
import { TargetTable } from '#targets/target-table.tsx'
import { Button } from '#ui/button.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/scope')

/** What is watched. `?create=true` opens the form. */
export function TargetListPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ScopeSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const query = useQuery(list(targetsInput(search)))
  const [editing, setEditing] = useState<Target>()
  const [deleting, setDeleting] = useState<Target>()
  const { q, tag, schedule } = search
  const isFiltered = Boolean(q || tag?.length || schedule?.length)
  const isWhole = query.data?.nextPageToken === '' && !search.after?.length
  const targets = query.data && (isWhole ? sorted(query.data.targets, search.sort) : query.data.targets)
  const isEmpty = targets?.length === 0 && !isFiltered
  const create = () => go({ ...search, create: true })
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Scope"
        count={isFiltered || search.after ? undefined : totalOf(query.data, targets?.length ?? 0) || undefined}
        description={<Lede />}
        actions={
          <Button variant="primary" size="sm" icon={<Plus />} onClick={create}>
            New target
          </Button>
        }
      />
      {isEmpty ? <div className="h-4.5" /> : <TargetFilters search={search} onSearch={go} />}
      <ListBody
        what="Targets"
        query={query}
        count={targets?.length}
        isFiltered={isFiltered}
        onClear={() => go({ sort: search.sort, size: search.size })}
        empty={<NoTargets onCreate={create} />}
      >
        <TargetTable
          targets={targets}
          sort={search.sort}
          onSort={isWhole ? (sort) => go({ ...search, sort }) : undefined}
          onEdit={setEditing}
          onDelete={setDeleting}
        />
      </ListBody>
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={targets?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
      <TargetForm open={search.create === true} onClose={() => go({ ...search, create: undefined }, true)} />
      <TargetForm open={editing !== undefined} target={editing} onClose={() => setEditing(undefined)} />
      <DeleteTarget target={deleting} onClose={() => setDeleting(undefined)} />
    </div>
  )
}

/** What of the plan is used, where plans count. */
function Lede() {
  const { billing } = portalConfig()
  const { data } = useQuery({ ...subscription(), enabled: billing })
  const { used, total } = data?.subscription.quota.targets ?? { used: 0, total: 0 }
  if (!billing || !data) return 'Targets that Glacis scans on a schedule.'
  const full = used >= total ? ' Remove one or change the plan to add more.' : ''
  return `Targets that Glacis scans on a schedule. ${formatNumber(used)} of ${formatNumber(total)} in your plan.${full}`
}

function NoTargets({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon={<Crosshair />}
      title="Add your first target"
      actions={
        <Button variant="primary" size="sm" icon={<Plus />} onClick={onCreate}>
          New target
        </Button>
      }
    >
      A target is a host, an address or a range that you own. Glacis finds its hosts, recognises their software and
      reports the risks.
    </EmptyState>
  )
}
