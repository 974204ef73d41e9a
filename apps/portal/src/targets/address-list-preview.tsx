/** Preview of a pasted list, grouped into invalid, duplicate, existing, and new addresses. */
import type { ReactNode } from 'react'
import { CircleAlert, CircleCheck, Minus } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import type { Verdict } from '#targets/address-list.ts'
import { newEntriesOf, type AddressList } from '#targets/use-address-list.ts'

export function AddressListPreview({ many: { verdicts, isReading, outcome } }: { readonly many: AddressList }) {
  if (!verdicts)
    return (
      <p aria-live="polite" className="empty:hidden text-ink-3">
        {isReading ? 'Checking the list…' : ''}
      </p>
    )
  const refused = outcome?.rejected ?? new Map<string, string>()
  const all = newEntriesOf(verdicts)
  const fresh = all.filter(({ address }) => !refused.has(address))
  const rejectedEntries = all.filter(({ address }) => refused.has(address))
  const wrong = verdicts.filter((verdict) => verdict.kind === 'wrong')
  const known = verdicts.filter((verdict) => verdict.kind === 'known')
  const duplicates = verdicts.filter((verdict) => verdict.kind === 'duplicate')
  const privateCount = fresh.filter(({ isPrivate }) => isPrivate).length
  return (
    <section aria-label="List preview" aria-busy={isReading} className="grid gap-3">
      <p aria-live="polite" className="font-medium">
        {summary({
          all: verdicts.length,
          fresh: all.length,
          known: known.length,
          duplicates: duplicates.length,
          wrong: wrong.length,
        })}
      </p>
      <Group icon={invalidIcon} title={`${formatNumber(wrong.length)} invalid`} of={wrong}>
        {(entry) => <EntryMessage line={entry.line} text={entry.text} message={entry.why} />}
      </Group>
      <Group icon={invalidIcon} title={`${formatNumber(rejectedEntries.length)} rejected`} of={rejectedEntries}>
        {(entry) => <EntryMessage line={entry.line} text={entry.address} message={refused.get(entry.address) ?? ''} />}
      </Group>
      <Group icon={skippedIcon} title={`${formatNumber(known.length)} already in scope`} of={known}>
        {(entry) => (
          <EntryMessage
            line={entry.line}
            text={entry.address}
            message={`The target “${entry.name}” already has this address.`}
          />
        )}
      </Group>
      <Group
        icon={skippedIcon}
        title={`${formatNumber(duplicates.length)} ${duplicates.length === 1 ? 'duplicate' : 'duplicates'}`}
        of={duplicates}
      >
        {(entry) => (
          <EntryMessage
            line={entry.line}
            text={entry.text}
            message={
              entry.isPortAdded
                ? `Port ${entry.port} is added to the target of line ${formatNumber(entry.first)}.`
                : `Same address as line ${formatNumber(entry.first)}.`
            }
          />
        )}
      </Group>
      <Group icon={newIcon} title={`${formatNumber(fresh.length)} new`} of={fresh}>
        {({ address, readable, hostCount, ports }) => (
          <>
            <span className="min-w-0 truncate font-mono" title={address}>
              {readable}
            </span>
            {hostCount > 1 && (
              <span className="ml-auto flex-none text-ink-3 tabular-nums">{formatNumber(hostCount)} addresses</span>
            )}
            {ports.length > 0 && (
              <span className="ml-auto min-w-0 truncate text-ink-3 tabular-nums">
                only port{ports.length === 1 ? '' : 's'} {ports.join(', ')}
              </span>
            )}
          </>
        )}
      </Group>
      {privateCount > 0 && (
        <p className="text-12 text-ink-3">
          {privateCount === 1 ? '1 address is private' : `${formatNumber(privateCount)} addresses are private`}. Choose
          an agent if this server can't reach {privateCount === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  )
}

const invalidIcon = <CircleAlert aria-hidden="true" className="size-3.5 text-red-ink" />
const skippedIcon = <Minus aria-hidden="true" className="size-3.5 text-ink-3" />
const newIcon = <CircleCheck aria-hidden="true" className="size-3.5 text-green-ink" />

interface Counts {
  readonly all: number
  readonly fresh: number
  readonly known: number
  readonly duplicates: number
  readonly wrong: number
}
/** "20 addresses: 15 new, 3 already in scope, 2 invalid." */
function summary({ all, fresh, known, duplicates, wrong }: Counts): string {
  const parts = [
    [fresh, 'new'],
    [known, 'already in scope'],
    [duplicates, duplicates === 1 ? 'duplicate' : 'duplicates'],
    [wrong, 'invalid'],
  ] as const
  const phrases = parts.filter(([count]) => count > 0).map(([count, word]) => `${formatNumber(count)} ${word}`)
  return `${formatNumber(all)} ${all === 1 ? 'address' : 'addresses'}: ${phrases.join(', ')}.`
}

interface GroupProps<T> {
  readonly icon: ReactNode
  readonly title: string
  readonly of: readonly T[]
  readonly children: (one: T) => ReactNode
}
/** A scrollable list a few rows high, so that the rest of the form stays within reach. */
function Group<T extends Verdict>({ icon, title, of, children }: GroupProps<T>) {
  if (of.length === 0) return null
  return (
    <section
      aria-label={title}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable regions must be reachable by keyboard
      tabIndex={of.length > 2 ? 0 : undefined}
      className="max-h-52 overflow-y-auto rounded-[8px] border border-line"
    >
      <h3 className="sticky top-0 flex items-center gap-1.5 border-b border-line bg-raised px-3 py-1.5 text-12 font-medium">
        {icon}
        {title}
      </h3>
      <ul className="divide-y divide-line text-12">
        {of.map((entry) => (
          <li key={`${entry.line} ${entry.text}`} className="flex items-baseline gap-2 px-3 py-1.5">
            {children(entry)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function EntryMessage({
  line,
  text,
  message,
}: {
  readonly line: number
  readonly text: string
  readonly message: string
}) {
  return (
    <span className="grid min-w-0 flex-1">
      <span className="flex gap-2">
        <span className="min-w-0 truncate font-mono" title={text}>
          {text}
        </span>
        <span className="ml-auto flex-none text-ink-3 tabular-nums">line {formatNumber(line)}</span>
      </span>
      <span className="text-ink-2 wrap-anywhere">{message}</span>
    </span>
  )
}
