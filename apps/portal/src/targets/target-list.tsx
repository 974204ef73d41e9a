/** `/scope` */
import type { Scan } from '@glacis/contract/scan'
import type { Target } from '@glacis/contract/target'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Crosshair, Plus } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { subscription } from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { useKeys } from '#lib/keyboard.ts'
import { focusedRow, clickKeys } from '#lib/page-keys.ts'
import { denialOf } from '#lib/role.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { countFilters, withoutFilters } from '#lib/search-schema.ts'
import { useSelection } from '#lib/selection.ts'
import { addToast } from '#ui/toasts.tsx'
import { start, startedMessage } from '#scans/queries.ts'
import { AgentHint } from '#targets/agent-hint.tsx'
import { DeleteTarget } from '#targets/delete-target.tsx'
import { maxAttentionCount, inState, list } from '#targets/queries.ts'
import { type ScopeSearch, sortTargets, targetsInput } from '#targets/search.ts'
import { TargetBulk } from '#targets/target-bulk.tsx'
import { TargetFilters } from '#targets/target-filters.tsx'
import { TargetTable } from '#targets/target-table.tsx'
import { Button, ButtonLink } from '#ui/button.tsx'
import { ListBody, ListPager, totalOf } from '#ui/list.tsx'
import { Note } from '#ui/note.tsx'
import { PageHead } from '#ui/page-head.tsx'
import { EmptyState } from '#ui/states.tsx'

const route = getRouteApi('/_auth/scope')
const TargetForm = lazy(async () => ({ default: (await import('#targets/target-form.tsx')).TargetForm }))

/** The list of targets. `?create=true` opens the form. */
export function TargetListPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const go = (to: ScopeSearch, replace = false) => void navigate({ search: to, replace, resetScroll: false })
  const query = useQuery(list(targetsInput(search)))
  const [editing, setEditing] = useState<Target>()
  const [deleting, setDeleting] = useState<Target>()
  const hasFilters = countFilters(search) > 0
  const isWhole = query.data?.nextPageToken === '' && !search.after?.length
  const targets = query.data && (isWhole ? sortTargets(query.data.targets, search.sort) : query.data.targets)
  const isEmpty = targets?.length === 0 && !hasFilters
  const { selected, keep, picking } = useSelection(targets ?? [])
  const create = () => go({ ...search, create: true })
  useListKeys()
  return (
    <div className="pg flex grow flex-col">
      <PageHead
        title="Scope"
        count={hasFilters || search.after ? undefined : totalOf(query.data, targets?.length ?? 0) || undefined}
        description={<Description />}
        actions={
          <Button variant="primary" size="sm" icon={<Plus />} call="createTarget" data-key="n" onClick={create}>
            Add target
          </Button>
        }
      />
      {selected.length === 0 && <Attention search={search} />}
      {isEmpty ? (
        <div className="h-4.5" />
      ) : selected.length > 0 ? (
        <TargetBulk targets={selected} onKeep={keep} />
      ) : (
        <TargetFilters search={search} onSearch={go} />
      )}
      <ListBody
        what="Targets"
        query={query}
        count={targets?.length}
        isFiltered={hasFilters}
        onClear={() => go(withoutFilters(search))}
        empty={<NoTargets onCreate={create} />}
      >
        <TargetTable
          targets={targets}
          sort={search.sort}
          onSort={(sort) => go({ ...search, sort, after: undefined })}
          picking={picking}
          onEdit={setEditing}
          onDelete={setDeleting}
        />
      </ListBody>
      {isWhole && !hasFilters && targets && <AgentHint targets={targets} />}
      <ListPager
        after={search.after}
        size={search.size ?? 25}
        shown={targets?.length ?? 0}
        page={query.data}
        onTurn={(to) => go({ ...search, ...to })}
      />
      <Suspense fallback={null}>
        {search.create === true && <TargetForm open onClose={() => go({ ...search, create: undefined }, true)} />}
        {editing && <TargetForm open target={editing} onClose={() => setEditing(undefined)} />}
      </Suspense>
      <DeleteTarget target={deleting} onClose={() => setDeleting(undefined)} />
    </div>
  )
}

/** `n` adds a target, `s` scans the target in the focused row. */
function useListKeys(): void {
  const { mutate } = useMutation(start)
  const keys = useMemo(() => {
    const onSuccess = ({ scan }: { readonly scan: Scan }) =>
      addToast('success', { title: 'Success', message: startedMessage(scan) })
    const scanFocused = () => {
      const id = focusedRow()
      if (id && !denialOf('startScan')) mutate(id, { onSuccess })
    }
    return { ...clickKeys('n'), s: scanFocused }
  }, [mutate])
  useKeys(keys)
}

/** Links to targets that need attention. Renders nothing if there are none or a state filter is set. */
function Attention({ search }: { readonly search: ScopeSearch }) {
  const failed = useQuery(inState('STATE_FAILED')).data?.targets.length ?? 0
  const overdue = useQuery(inState('STATE_OVERDUE')).data?.targets.length ?? 0
  if (search.state?.length || failed + overdue === 0) return null
  const problems = [
    failed > 0 && `the last scan of ${formatCount(failed)} failed`,
    overdue > 0 && `${formatCount(overdue)} ${overdue === 1 ? 'is' : 'are'} overdue`,
  ]
  return (
    <div className="px-(--gl-gutter) pt-3">
      <Note variant="yellow">
        {toSentence(problems.filter((word) => word !== false).join(', '))}{' '}
        <Link to="/scope" search={{ state: ['failed', 'overdue'] }} className="underline underline-offset-3">
          Show targets
        </Link>
      </Note>
    </div>
  )
}

function formatCount(count: number): string {
  return count > maxAttentionCount
    ? `more than ${maxAttentionCount} targets`
    : `${count} ${count === 1 ? 'target' : 'targets'}`
}

function toSentence(problems: string): string {
  return `${problems.charAt(0).toUpperCase()}${problems.slice(1)}.`
}

/** Page description, with quota usage if billing is enabled. */
function Description() {
  const { billing } = portalConfig()
  const { data } = useQuery({ ...subscription(), enabled: billing })
  const { used, total } = data?.subscription.quota.targets ?? { used: 0, total: 0 }
  if (!billing || !data) return 'Targets that Glacis scans on a schedule.'
  const full = used >= total ? ' To add more, delete a target or change your plan.' : ''
  return `Targets that Glacis scans on a schedule. You're using ${formatNumber(used)} of the ${formatNumber(total)} in your plan.${full}`
}

function NoTargets({ onCreate }: { readonly onCreate: () => void }) {
  return (
    <EmptyState
      icon={<Crosshair />}
      title="Add your first target"
      actions={
        <>
          <Button variant="primary" size="sm" icon={<Plus />} call="createTarget" onClick={onCreate}>
            Add target
          </Button>
          <ButtonLink to="/onboarding" size="sm" call="createTarget">
            Open the setup guide
          </ButtonLink>
        </>
      }
    >
      A target is a host, address, or range you're authorized to scan. Glacis discovers its hosts, identifies their
      software, and reports the risks.
    </EmptyState>
  )
}
