/** The built-in and saved views of a risk list. */
import type { View } from '@glacis/contract/view'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, BookmarkX, Lock, Users } from 'lucide-react'
import { useState } from 'react'
import { mutationDialogProps } from '#api/advice.ts'
import { removeView, saveView, shareView } from '#issues/mutations.ts'
import { views } from '#issues/queries.ts'
import { hasFilters, type RiskSearch } from '#issues/search.ts'
import { parseSearch, stringifySearch } from '#lib/search-params.ts'
import { addToast } from '#ui/toasts.tsx'
import { Button } from '#ui/button.tsx'
import { TextField } from '#ui/field.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { RadioCard } from '#ui/radio-card.tsx'
import { Tab } from '#ui/tabs.tsx'

export type RiskPath = '/risks/verified' | '/risks/potential'

const builtIn = [
  { name: 'Mine', query: 'mine=true' },
  { name: 'Unassigned', query: 'unassigned=true' },
  { name: 'Exploited in the wild', query: 'kev=true&sort=priority' },
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
      {[...builtIn, ...saved].map(({ name, query, ...view }) => (
        <Tab
          key={`${name} ${query}`}
          to={path}
          search={parseSearch(query)}
          activeOptions={{ includeSearch: false }}
          on={matchesView(query, currentQuery)}
          resetScroll={false}
        >
          {name}
          {'shared' in view && view.shared && (
            // Positioned, so that the hidden text can't widen the page.
            <span className="relative">
              <Users aria-hidden="true" className="size-3.5 text-ink-3" />
              <span className="sr-only">(shared)</span>
            </span>
          )}
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

/** Saves the current search as a view, or shares or deletes the saved view that it matches. */
export function ViewButton({ path, search }: { readonly path: RiskPath; readonly search: RiskSearch }) {
  const [isNaming, setIsNaming] = useState(false)
  const currentQuery = normalizedQuery(search)
  const saved = (useQuery(views(path)).data?.views ?? []).find(({ query }) => matchesView(query, currentQuery))
  if (saved) return <SavedViewActions view={saved} path={path} />
  if (!hasFilters(search) || builtIn.some(({ query }) => matchesView(query, currentQuery))) return null
  return (
    <>
      <Button variant="ghost" size="sm" call="createView" icon={<Bookmark />} onClick={() => setIsNaming(true)}>
        Save view
      </Button>
      {isNaming && <SaveDialog path={path} query={currentQuery} onClose={() => setIsNaming(false)} />}
    </>
  )
}

function SavedViewActions({ view, path }: { readonly view: View; readonly path: RiskPath }) {
  const removal = useMutation(removeView)
  const save = useMutation(saveView)
  const share = useMutation(shareView)
  return (
    <>
      {(!view.shared || view.isYours) && (
        <Button
          variant="ghost"
          size="sm"
          call="updateView"
          icon={view.shared ? <Lock /> : <Users />}
          loading={share.isPending}
          onClick={() => share.mutate({ id: view.id, shared: !view.shared }, { onSuccess: showAudience })}
        >
          {view.shared ? 'Make private' : 'Share view'}
        </Button>
      )}
      <Button
        variant="ghost"
        size="sm"
        call="deleteView"
        icon={<BookmarkX />}
        onClick={() => removal.mutate({ id: view.id }, deleteOptions(view, path, save.mutate))}
      >
        Delete view
      </Button>
    </>
  )
}

function showAudience({ view: { name, shared } }: { readonly view: View }): void {
  const audience = shared ? 'everyone in the workspace' : 'only you'
  addToast('success', { title: 'Success', message: `View “${name}” is now visible to ${audience}.` })
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
      addToast('success', { title: 'Success', message: `View “${name}” deleted.`, actions: [action] })
    },
  }
}

const audiences = [
  { shared: false, label: 'Only me' },
  { shared: true, label: 'Everyone in the workspace' },
] as const

interface SaveDialogProps {
  readonly path: RiskPath
  readonly query: string
  readonly onClose: () => void
}

function SaveDialog({ path, query, onClose }: SaveDialogProps) {
  const save = useMutation(saveView)
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const [isNameless, setIsNameless] = useState(false)
  const submit = () => {
    setIsNameless(name.trim() === '')
    if (name.trim()) save.mutate({ view: { name: name.trim(), page: path, query, shared } }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      {...mutationDialogProps(save, onClose)}
      title="Save view"
      description="Adds a tab with the current filters and sort order."
      label="Save view"
      call="createView"
      onSubmit={submit}
    >
      <TextField
        label="Name"
        data-autofocus
        maxLength={40}
        value={name}
        state={isNameless ? 'error' : 'default'}
        messages={isNameless ? ['Required'] : []}
        onChange={({ target }) => {
          setName(target.value)
          setIsNameless(false)
        }}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 leading-4.5 font-medium">Visible to</legend>
        {audiences.map((audience) => (
          <RadioCard
            key={audience.label}
            name="audience"
            label={audience.label}
            checked={shared === audience.shared}
            onChange={() => setShared(audience.shared)}
          />
        ))}
      </fieldset>
    </FormDialog>
  )
}
