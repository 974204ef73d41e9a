/** The built-in and saved views of a risk list. */
import type { View } from '@glacis/contract/view'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, BookmarkX } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { errorAdvice } from '#api/advice.ts'
import { removeView, saveView } from '#issues/mutations.ts'
import { views } from '#issues/queries.ts'
import { hasFilters, type RiskSearch } from '#issues/search.ts'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { addToast } from '#ui/toasts.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { TextField } from '#ui/field.tsx'
import { Tab } from '#ui/tabs.tsx'

export type RiskPath = '/risks/verified' | '/risks/potential'

const builtIn = [
  { name: 'Mine', query: 'mine=true' },
  { name: 'Unassigned', query: 'unassigned=true' },
  { name: 'KEV', query: 'kev=true&sort=priority' },
  { name: 'New this week', query: 'since=week' },
] as const

/** The part of the search that a view saves (filters, tab, and sort order) as a normalized query string. */
export function normalizedQuery({ after: _after, size: _size, ...kept }: RiskSearch): string {
  const query = new URLSearchParams(stringifySearch(kept))
  query.sort()
  return query.toString()
}

/** The tabs of the views, shown after the status tabs. */
export function ViewTabs({ path, search }: { readonly path: RiskPath; readonly search: RiskSearch }) {
  const saved = useQuery(views(path)).data?.views ?? []
  const currentQuery = normalizedQuery(search)
  return (
    <>
      <span aria-hidden="true" className="my-2.5 w-px flex-none bg-line-strong" />
      {[...builtIn, ...saved].map(({ name, query }) => (
        <Tab
          key={`${name} ${query}`}
          to={path}
          search={parseSearch(query)}
          activeOptions={{ includeSearch: false }}
          on={matchesView(query, currentQuery)}
          resetScroll={false}
        >
          {name}
        </Tab>
      ))}
    </>
  )
}

/** True if the current search matches a view, whose tab is then the active one. */
export function useIsView(path: RiskPath, search: RiskSearch): boolean {
  const saved = useQuery(views(path)).data?.views ?? []
  const currentQuery = normalizedQuery(search)
  return [...builtIn, ...saved].some(({ query }) => matchesView(query, currentQuery))
}

/** Saves the current search as a view, or deletes the saved view that it matches. */
export function ViewButton({ path, search }: { readonly path: RiskPath; readonly search: RiskSearch }) {
  const [isNaming, setIsNaming] = useState(false)
  const removal = useMutation(removeView)
  const save = useMutation(saveView)
  const currentQuery = normalizedQuery(search)
  const own = (useQuery(views(path)).data?.views ?? []).find(({ query }) => matchesView(query, currentQuery))
  if (own) {
    return (
      <Button
        variant="ghost"
        size="sm"
        call="deleteView"
        icon={<BookmarkX />}
        onClick={() => removal.mutate({ id: own.id }, deleteOptions(own, path, save.mutate))}
      >
        Delete view
      </Button>
    )
  }
  if (!hasFilters(search) || builtIn.some(({ query }) => matchesView(query, currentQuery))) return null
  return (
    <>
      <Button variant="ghost" size="sm" call="createView" icon={<Bookmark />} onClick={() => setIsNaming(true)}>
        Save view
      </Button>
      <NameDialog
        open={isNaming}
        isSaving={save.isPending}
        problem={errorAdvice(save.error)}
        onClose={() => {
          save.reset()
          setIsNaming(false)
        }}
        onName={(name) =>
          save.mutate({ view: { name, page: path, query: currentQuery } }, { onSuccess: () => setIsNaming(false) })
        }
      />
    </>
  )
}

function matchesView(query: string, currentQuery: string): boolean {
  const own = new URLSearchParams(query)
  own.sort()
  return own.toString() === currentQuery
}

/** Confirms the deletion with a toast that offers undo. */
function deleteOptions(
  { name, query, shared }: View,
  page: RiskPath,
  save: (input: { view: { name: string; page: string; query: string; shared: boolean } }) => void,
) {
  return {
    onSuccess: () => {
      const action = { label: 'Undo', run: () => save({ view: { name, page, query, shared } }) }
      addToast('success', { title: 'Success', message: `View “${name}” deleted.`, action })
    },
  }
}

interface NameDialogProps {
  readonly open: boolean
  readonly isSaving: boolean
  readonly problem: string | undefined
  readonly onClose: () => void
  readonly onName: (name: string) => void
}
function NameDialog({ open, isSaving, problem, onClose, onName }: NameDialogProps) {
  const id = useId()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim()
    if (name) onName(name)
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      busy={isSaving}
      problem={problem}
      title="Save view"
      description="Adds a tab with the current filters and sort order."
      footer={
        <>
          <Button disabled={isSaving} onClick={onClose}>
            Cancel
          </Button>
          <Button variant="primary" type="submit" form={id} loading={isSaving}>
            Save view
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className="pb-1">
        <TextField label="Name" name="name" required maxLength={40} data-autofocus />
      </form>
    </Dialog>
  )
}
