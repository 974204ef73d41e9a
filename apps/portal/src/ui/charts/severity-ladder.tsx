/** Counts by severity: one bar per level on a shared scale, with its change. */
import type { SeverityCount } from '@glacis/contract/primitives'
import { createLink } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { percent } from '#ui/charts/percent.ts'
import { Severity, type SeverityLevel, severityLevels } from '#ui/severity.tsx'

type Level = Exclude<SeverityLevel, 'none'>

interface LadderProps {
  readonly counts: SeverityCount
  /** Change of each count; undefined if unknown. */
  readonly changes?: SeverityCount | undefined
  /** Wraps a row's content, usually in a `LadderLink` to the matching list. */
  readonly row: (level: Level, content: ReactNode) => ReactNode
}

/** Counts by severity, critical first. Numbers and words repeat what the bars show. */
export function SeverityLadder({ counts, changes, row }: LadderProps) {
  const highest = Math.max(1, ...severityLevels.map((level) => counts[level]))
  return (
    <ul className="mt-3.5 border-b border-line">
      {severityLevels.map((level) => (
        <li key={level} className="border-t border-line">
          {row(
            level,
            <>
              <Severity level={level} />
              <span className="min-w-0" aria-hidden="true">
                <span
                  className={cx('block h-2 rounded-[2px]', bars[level])}
                  style={{ width: percent(counts[level] / highest) }}
                />
              </span>
              <span className="text-right text-14 font-medium tabular-nums">{formatNumber(counts[level])}</span>
              {changes && (
                <span className="flex justify-self-end">
                  <Delta amount={changes[level]} />
                </span>
              )}
            </>,
          )}
        </li>
      ))}
    </ul>
  )
}

const bars: Readonly<Record<Level, string>> = {
  critical: 'bg-critical',
  high: 'bg-high',
  medium: 'bg-medium',
  low: 'bg-low',
}

interface LadderAnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** Narrower columns, for a ladder beside other content. */
  readonly isSmall?: boolean
  readonly hasChanges?: boolean
  readonly ref?: Ref<HTMLAnchorElement>
}
function LadderAnchor({ isSmall = false, hasChanges = true, className, children, ...rest }: LadderAnchorProps) {
  return (
    <a
      {...rest}
      className={cx(
        rowClass(isSmall, hasChanges),
        'hover:bg-hover hover:shadow-[-8px_0_0_var(--gl-hover),8px_0_0_var(--gl-hover)]',
        className,
      )}
    >
      {children}
    </a>
  )
}

/** A row that links to the matching list. */
export const LadderLink = createLink(LadderAnchor)

/** A row without a link, if no single list matches its count. */
export function LadderRow({ children }: { readonly children: ReactNode }) {
  return <div className={rowClass(false, true)}>{children}</div>
}

function rowClass(isSmall: boolean, hasChanges: boolean): string {
  const small = hasChanges ? 'grid-cols-[84px_minmax(0,1fr)_28px_40px]' : 'grid-cols-[84px_minmax(0,1fr)_28px]'
  return cx('grid h-8.5 items-center gap-2.5', isSmall ? small : 'grid-cols-[92px_minmax(0,1fr)_34px_62px]')
}

/** A change with an arrow: fewer risks are good, more are bad. `children` show the words where there is space. */
export function Delta({ amount, children }: { readonly amount: number; readonly children?: ReactNode }) {
  const arrow = { className: 'size-3', strokeWidth: 2.25, 'aria-hidden': true } as const
  return (
    <span
      className={cx(
        'inline-flex items-center gap-[3px] whitespace-nowrap tabular-nums',
        children === undefined && 'text-12',
        amount === 0 ? 'text-ink-3' : amount < 0 ? 'text-green-ink' : 'text-red-ink',
      )}
    >
      {amount < 0 && <ArrowDown {...arrow} />}
      {amount > 0 && <ArrowUp {...arrow} />}
      {children ?? (
        <>
          <span aria-hidden="true">{amount === 0 ? '–' : formatNumber(Math.abs(amount))}</span>
          <span className="sr-only">{changeText(amount)}</span>
        </>
      )}
    </span>
  )
}

function changeText(amount: number): string {
  if (amount === 0) return 'unchanged'
  return `${formatNumber(Math.abs(amount))} ${amount < 0 ? 'fewer' : 'more'}`
}
