/** A list of targets on its way: what it holds, what keeps it from being sent, and what became of it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { subscription } from '#billing/queries.ts'
import { formatNumber } from '#lib/format.ts'
import { portalConfig } from '#lib/portal-config.ts'
import { useUnsent } from '#lib/use-unsent.ts'
import type { Outcome } from '#targets/create-each.ts'
import type { TargetDraft } from '#targets/form.ts'
import { creationOf, entriesMax, entriesOf, type Fresh, restOf, type Verdict } from '#targets/many.ts'
import { createMany, readList } from '#targets/queries.ts'
import { pauseMs, useSettled } from '#targets/settled.ts'

/** Said while the tick for addresses on the internet is missing. */
export const askPermissionForAll = 'Tick this to scan addresses on the internet'

export type Many = ReturnType<typeof useMany>

interface ManyOptions {
  /** False while one target is written: nothing is asked then. */
  readonly isOpen?: boolean
  /** What holds for all of them. */
  readonly draft: Pick<TargetDraft, 'period' | 'agentId' | 'tags'>
  /** What the list begins with. */
  readonly text?: string
  /** Called once nothing of the list is left, with what was made of the last of it, and that in words. */
  readonly onDone: (told: { readonly made: Outcome['made']; readonly message: string }) => void
}

export function useMany({ isOpen = true, draft, text: begun = '', onDone }: ManyOptions) {
  const client = useQueryClient()
  const { billing } = portalConfig()
  const [text, setText] = useUnsent('list of targets', begun)
  const [isPermitted, setIsPermitted] = useState(false)
  const [problem, setProblem] = useState<'list' | 'permission'>()
  const [outcome, setOutcome] = useState<Outcome>()
  const [step, setStep] = useState({ done: 0, all: 0 })
  const keys = useRef(new Map<string, string>())
  const stop = useRef(new AbortController())
  const making = useMutation(createMany(client))
  const settled = useSettled(text, pauseMs)
  const isTooLong = entriesOf(settled).length > entriesMax
  const reading = useQuery({ ...readList(settled), enabled: isOpen && settled.trim() !== '' && !isTooLong })
  const verdicts = settled.trim() === '' || isTooLong ? undefined : reading.data
  const { data: plan } = useQuery({ ...subscription(), enabled: isOpen && billing })
  const quota = plan?.subscription.quota.targets
  const places = billing && quota ? Math.max(0, quota.total - quota.used) : undefined

  async function send(): Promise<void> {
    // Whoever presses the button at once has not waited until the list was read.
    const now = isTooLong || text.trim() === '' ? [] : await client.fetchQuery(readList(text)).catch(() => undefined)
    if (!now) return // the call itself has raised a notice
    const fresh = freshOf(now).slice(0, places)
    const missing = fresh.length === 0 ? 'list' : needsPermission(fresh) && !isPermitted ? 'permission' : undefined
    setProblem(missing)
    if (missing) return
    stop.current = new AbortController()
    setStep({ done: 0, all: fresh.length })
    const bodies = fresh.map((one) => creationOf(one, draft))
    const onStep = (done: number) => setStep({ done, all: fresh.length })
    const told = await making.mutateAsync({ bodies, signal: stop.current.signal, onStep, keys: keys.current })
    conclude(now, told)
  }

  function conclude(judged: readonly Verdict[], told: Outcome): void {
    const rest = restOf(judged, new Set(told.made.map(({ address }) => address)))
    setText(rest)
    setOutcome(told)
    if (rest !== '') return
    const known = judged.filter(({ kind }) => kind === 'known').length
    const also = known > 0 ? ` ${formatNumber(known)} were there already.` : ''
    onDone({ made: told.made, message: `${registered(told.made.length)}${also}` })
  }

  return {
    text,
    verdicts,
    /** What is shown is not yet of the text that stands there. */
    isReading: text.trim() !== '' && !isTooLong && (settled !== text || reading.isFetching),
    /** What is wrong with the list as a whole. */
    listProblem: isTooLong ? tooLong(entriesOf(settled).length) : problem === 'list' ? nothingNew(text) : undefined,
    permissionProblem: problem === 'permission' ? askPermissionForAll : undefined,
    isPermitted,
    /** How many more the plan holds; undefined where plans do not count. */
    places,
    outcome,
    isBusy: making.isPending,
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

export function freshOf(verdicts: readonly Verdict[] = []): Fresh[] {
  return verdicts.filter((one) => one.kind === 'new')
}

/** Somebody must say that they may scan what is on the internet. */
export function needsPermission(fresh: readonly Fresh[]): boolean {
  return fresh.some(({ isPrivate }) => !isPrivate)
}

/** "1 target is registered." */
export function registered(count: number): string {
  return count === 1 ? '1 target is registered.' : `${formatNumber(count)} targets are registered.`
}

function tooLong(count: number): string {
  return `A list holds at most ${formatNumber(entriesMax)} addresses, and this one has ${formatNumber(count)}.`
}

function nothingNew(text: string): string {
  return text.trim() === '' ? 'Required' : 'Nothing in this list can be added'
}
