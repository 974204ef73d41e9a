/** What was read from a list: what is wrong with which line, what is watched already, and what is new. */
import type { ReactNode } from 'react'
import { CircleAlert, CircleCheck, Minus } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import type { Verdict } from '#targets/many.ts'
import { freshOf, type Many } from '#targets/use-many.ts'

export function ManyVerdicts({ many: { verdicts, isReading, outcome } }: { readonly many: Many }) {
  if (!verdicts)
    return (
      <p aria-live="polite" className="empty:hidden text-ink-3">
        {isReading ? 'Reading the list …' : ''}
      </p>
    )
  const refused = outcome?.refused ?? new Map<string, string>()
  const all = freshOf(verdicts)
  const fresh = all.filter(({ address }) => !refused.has(address))
  const denied = all.filter(({ address }) => refused.has(address))
  const wrong = verdicts.filter((one) => one.kind === 'wrong')
  const known = verdicts.filter((one) => one.kind === 'known')
  const twice = verdicts.filter((one) => one.kind === 'twice')
  const privates = fresh.filter(({ isPrivate }) => isPrivate).length
  return (
    <section aria-label="What the list holds" aria-busy={isReading} className="grid gap-3">
      <p aria-live="polite" className="font-medium">
        {summary({
          all: verdicts.length,
          fresh: all.length,
          known: known.length,
          twice: twice.length,
          wrong: wrong.length,
        })}
      </p>
      <Group icon={wrongIcon} title={`${formatNumber(wrong.length)} not understood`} of={wrong}>
        {(one) => <Said line={one.line} text={one.text} words={one.why} />}
      </Group>
      <Group icon={wrongIcon} title={`${formatNumber(denied.length)} refused`} of={denied}>
        {(one) => <Said line={one.line} text={one.address} words={refused.get(one.address) ?? ''} />}
      </Group>
      <Group icon={leftIcon} title={`${formatNumber(known.length)} watched already`} of={known}>
        {(one) => <Said line={one.line} text={one.address} words={`The target “${one.name}” has this address.`} />}
      </Group>
      <Group icon={leftIcon} title={`${formatNumber(twice.length)} more than once`} of={twice}>
        {(one) => <Said line={one.line} text={one.address} words={`Stands on line ${formatNumber(one.first)} too.`} />}
      </Group>
      <Group icon={freshIcon} title={`${formatNumber(fresh.length)} new`} of={fresh}>
        {({ address, readable, hostCount }) => (
          <>
            <span className="min-w-0 truncate font-mono" title={address}>
              {readable}
            </span>
            {hostCount > 1 && (
              <span className="ml-auto flex-none text-ink-3 tabular-nums">{formatNumber(hostCount)} addresses</span>
            )}
          </>
        )}
      </Group>
      {privates > 0 && (
        <p className="text-12 text-ink-3">
          {privates === 1 ? '1 of them is private' : `${formatNumber(privates)} of them are private`}: only a scanner
          inside that network reaches {privates === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  )
}

const wrongIcon = <CircleAlert aria-hidden="true" className="size-3.5 text-red-ink" />
const leftIcon = <Minus aria-hidden="true" className="size-3.5 text-ink-3" />
const freshIcon = <CircleCheck aria-hidden="true" className="size-3.5 text-green-ink" />

interface Counts {
  readonly all: number
  readonly fresh: number
  readonly known: number
  readonly twice: number
  readonly wrong: number
}
/** "20 addresses: 15 new, 3 watched already, 2 not understood." */
function summary({ all, fresh, known, twice, wrong }: Counts): string {
  const parts = [
    [fresh, 'new'],
    [known, 'watched already'],
    [twice, 'more than once'],
    [wrong, 'not understood'],
  ] as const
  const words = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return `${formatNumber(all)} ${all === 1 ? 'address' : 'addresses'}: ${words.join(', ')}.`
}

interface GroupProps<T> {
  readonly icon: ReactNode
  readonly title: string
  readonly of: readonly T[]
  readonly children: (one: T) => ReactNode
}
/** A list of its own, as high as a few rows: a thousand addresses leave the rest of the form within reach. */
function Group<T extends Verdict>({ icon, title, of, children }: GroupProps<T>) {
  if (of.length === 0) return null
  return (
    <section
      aria-label={title}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={of.length > 2 ? 0 : undefined}
      className="max-h-52 overflow-y-auto rounded-[8px] border border-line"
    >
      <h3 className="sticky top-0 flex items-center gap-1.5 border-b border-line bg-raised px-3 py-1.5 text-12 font-medium">
        {icon}
        {title}
      </h3>
      <ul className="divide-y divide-line text-12">
        {of.map((one) => (
          <li key={`${one.line} ${one.text}`} className="flex items-baseline gap-2 px-3 py-1.5">
            {children(one)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Said({ line, text, words }: { readonly line: number; readonly text: string; readonly words: string }) {
  return (
    <span className="grid min-w-0 flex-1">
      <span className="flex gap-2">
        <span className="min-w-0 truncate font-mono" title={text}>
          {text}
        </span>
        <span className="ml-auto flex-none text-ink-3 tabular-nums">line {formatNumber(line)}</span>
      </span>
      <span className="text-ink-2 wrap-anywhere">{words}</span>
    </span>
  )
}
