/** State of the list form: parsed entries, validation errors, progress, and outcome. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { subscription } from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { useDraft } from '#lib/use-draft.ts'
import type { CreateEachResult } from '#targets/create-targets.ts'
import type { TargetDraft } from '#targets/form.ts'
import {
  toCreateBody,
  maxEntries,
  parseEntries,
  type NewEntry,
  remainingText,
  type Verdict,
} from '#targets/address-list.ts'
import { createMany, parsedList } from '#targets/queries.ts'
import { debounceMs, useDebounced } from '#targets/debounce.ts'

/** Shown if the confirmation for internet addresses is missing. */
export const permissionErrorForAll = "To scan addresses on the internet, confirm that you're authorized"

export type AddressList = ReturnType<typeof useAddressList>

interface AddressListOptions {
  /** False while the single-target form is shown, to disable the queries. */
  readonly isOpen?: boolean
  /** Settings that apply to all targets. */
  readonly draft: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>
  /** Initial text of the list. */
  readonly text?: string
  /** Called when the list is empty, with the targets created last and a summary message. */
  readonly onDone: (result: { readonly made: CreateEachResult['created']; readonly message: string }) => void
}

export function useAddressList({ isOpen = true, draft, text: initialText = '', onDone }: AddressListOptions) {
  const client = useQueryClient()
  const { billing } = portalConfig()
  const [text, setText] = useDraft('list of targets', initialText)
  const [isPermitted, setIsPermitted] = useState(false)
  const [problem, setProblem] = useState<'list' | 'permission'>()
  const [outcome, setOutcome] = useState<CreateEachResult>()
  const [step, setStep] = useState({ done: 0, all: 0 })
  const keys = useRef(new Map<string, string>())
  const stop = useRef(new AbortController())
  const creation = useMutation(createMany)
  const settled = useDebounced(text, debounceMs)
  const isTooLong = parseEntries(settled).length > maxEntries
  const reading = useQuery({ ...parsedList(settled), enabled: isOpen && settled.trim() !== '' && !isTooLong })
  const verdicts = settled.trim() === '' || isTooLong ? undefined : reading.data
  const { data: plan } = useQuery({ ...subscription(), enabled: isOpen && billing })
  const quota = plan?.subscription.quota.targets
  const places = billing && quota ? Math.max(0, quota.total - quota.used) : undefined

  async function send(): Promise<void> {
    // The button may be pressed before the debounced check has finished.
    const now = isTooLong || text.trim() === '' ? [] : await client.fetchQuery(parsedList(text)).catch(() => undefined)
    if (!now) return // the call has already shown a toast
    const fresh = newEntriesOf(now).slice(0, places)
    const missing = fresh.length === 0 ? 'list' : needsPermission(fresh) && !isPermitted ? 'permission' : undefined
    setProblem(missing)
    if (missing) return
    stop.current = new AbortController()
    setStep({ done: 0, all: fresh.length })
    const bodies = fresh.map((entry) => toCreateBody(entry, draft))
    const onStep = (done: number) => setStep({ done, all: fresh.length })
    const result = await creation.mutateAsync({ bodies, signal: stop.current.signal, onStep, keys: keys.current })
    finish(now, result)
  }

  function finish(checked: readonly Verdict[], result: CreateEachResult): void {
    const rest = remainingText(checked, new Set(result.created.map(({ address }) => address)))
    setText(rest)
    setOutcome(result)
    if (rest !== '') return
    const known = checked.filter(({ kind }) => kind === 'known').length
    const also = known > 0 ? ` ${formatNumber(known)} already existed.` : ''
    onDone({ made: result.created, message: `${formatAdded(result.created.length)}${also}` })
  }

  return {
    text,
    verdicts,
    /** True while the verdicts don't reflect the current text yet. */
    isReading: text.trim() !== '' && !isTooLong && (settled !== text || reading.isFetching),
    /** Error about the list as a whole. */
    listProblem: isTooLong
      ? tooLongError(parseEntries(settled).length)
      : problem === 'list'
        ? noNewEntriesError(text)
        : undefined,
    permissionProblem: problem === 'permission' ? permissionErrorForAll : undefined,
    isPermitted,
    /** Remaining quota; undefined if billing is disabled. */
    places,
    outcome,
    isBusy: creation.isPending,
    step,
    send,
    stop: () => stop.current.abort(),
    write: (next: string) => {
      setText(next)
      setProblem(undefined)
    },
    permit: (next: boolean) => {
      setIsPermitted(next)
      setProblem(undefined)
    },
  }
}

export function newEntriesOf(verdicts: readonly Verdict[] = []): NewEntry[] {
  return verdicts.filter((verdict) => verdict.kind === 'new')
}

/** True if the user must confirm that they may scan internet addresses. */
export function needsPermission(fresh: readonly NewEntry[]): boolean {
  return fresh.some(({ isPrivate }) => !isPrivate)
}

/** "1 target was added." */
export function formatAdded(count: number): string {
  return count === 1 ? '1 target was added.' : `${formatNumber(count)} targets were added.`
}

function tooLongError(count: number): string {
  return `A list can have at most ${formatNumber(maxEntries)} addresses; this one has ${formatNumber(count)}. Split it into several lists.`
}

function noNewEntriesError(text: string): string {
  return text.trim() === '' ? 'Required' : 'No address in this list can be added'
}
