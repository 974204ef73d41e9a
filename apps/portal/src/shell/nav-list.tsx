import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { cx } from '#lib/cx.ts'
import { formatCount, formatNumber } from '#lib/format.ts'
import { useStoredFlag } from '#lib/storage.ts'
import { overviewEntry, type NavEntry, type NavSection, navSections } from '#shell/navigation.tsx'
import { type Signals, useSignals } from '#shell/signals.ts'
import { Spinner } from '#ui/spinner.tsx'
import { Tooltip } from '#ui/tooltip.tsx'

/** `narrow`: icons only. `touch`: larger rows. */
export type NavShape = 'wide' | 'narrow' | 'touch'

interface NavListProps {
  readonly shape: NavShape
  /** Called when a link is followed. */
  readonly onGo?: (() => void) | undefined
}
type NavProps = NavListProps & { readonly signals: Signals }

/** Overview and link groups with their signals. They are queried here, so that updates rerender nothing else. */
export function NavList({ shape, onGo }: NavListProps) {
  const signals = useSignals()
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto px-3 pt-2 pb-4">
      <NavItem place={overviewEntry} shape={shape} signals={signals} onGo={onGo} />
      {navSections.map((group) => (
        <NavGroup key={group.label} group={group} shape={shape} signals={signals} onGo={onGo} />
      ))}
    </nav>
  )
}

function NavGroup({
  group: { label, entries: places },
  shape,
  signals,
  onGo,
}: NavProps & { readonly group: NavSection }) {
  const id = useId()
  const [isOpen, setIsOpen] = useStoredFlag(`nav.${label}`, true)
  const isNarrow = shape === 'narrow'
  const items = places.map((place) => (
    <li key={place.to}>
      <NavItem place={place} shape={shape} signals={signals} onGo={onGo} />
    </li>
  ))
  if (isNarrow) {
    return (
      <ul aria-label={label} className="mt-2 space-y-px border-t border-line pt-2">
        {items}
      </ul>
    )
  }
  return (
    <section className={shape === 'touch' ? 'mt-3' : 'mt-4.5'}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setIsOpen(!isOpen)}
        className={cx(
          'flex w-full items-center gap-1 rounded-[6px] px-2 text-left font-medium text-ink-3 hover:text-ink',
          shape === 'touch' ? 'h-9 text-13' : 'h-7 text-12',
        )}
      >
        {label}
        <ChevronDown
          aria-hidden="true"
          className={cx(
            'ml-auto size-3.5 opacity-75 transition-[rotate] duration-(--gl-dur-base)',
            !isOpen && '-rotate-90',
          )}
        />
      </button>
      <ul id={id} hidden={!isOpen} className="space-y-px">
        {items}
      </ul>
    </section>
  )
}

function NavItem({ place, shape, signals, onGo }: NavProps & { readonly place: NavEntry }) {
  const { label, to, icon: Icon } = place
  const { name, end, dot } = signalOf(place, signals)
  const isNarrow = shape === 'narrow'
  const link = (
    <Link
      to={to}
      onClick={onGo}
      activeOptions={{ includeSearch: false }}
      aria-label={isNarrow ? name : undefined}
      aria-current={signals.riskList === to ? 'page' : undefined}
      className={cx(
        'group/nav relative flex items-center rounded-[6px] font-medium text-ink-2 transition-colors duration-(--gl-dur-fast) hover:bg-active hover:text-ink aria-[current=page]:bg-active aria-[current=page]:text-ink',
        isNarrow && 'h-9 w-10 justify-center',
        shape === 'wide' && 'h-8 gap-2.5 px-2',
        shape === 'touch' && 'h-11 gap-3 px-2 text-[15px]',
      )}
    >
      <Icon aria-hidden="true" className="size-4 text-ink-3 group-aria-[current=page]/nav:text-link" />
      {isNarrow ? dot : <span className="truncate">{label}</span>}
      {!isNarrow && end && <span className="ml-auto flex items-center">{end}</span>}
    </Link>
  )
  return isNarrow ? (
    <Tooltip label={name} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

interface Signal {
  /** For screen readers. */
  readonly name: string
  readonly end?: ReactNode
  readonly dot?: ReactNode
}

function signalOf({ label, signal }: NavEntry, signals: Signals): Signal {
  if (signal === 'scanning') {
    if (!signals.isScanning) return { name: label }
    const ring = <Spinner className="size-3! border-[1.75px]! text-main-mark" />
    return {
      name: `${label} scan in progress`,
      end: (
        <>
          {ring}
          <span className="sr-only">scan in progress</span>
        </>
      ),
      dot: <span className="absolute top-1 right-1">{ring}</span>,
    }
  }
  const count = signal && signals[signal]
  if (!count) return { name: label }
  return {
    name: `${label} ${formatNumber(count)} open or regressed`,
    end: (
      <span
        title="Open and regressed risks in the past quarter"
        className="min-w-6 rounded-sm bg-n4 px-1.5 text-center text-12/[18px] font-medium text-ink-2 tabular-nums group-hover/nav:bg-surface group-aria-[current=page]/nav:bg-surface"
      >
        {formatCount(count)}
        <span className="sr-only"> open or regressed</span>
      </span>
    ),
    dot: (
      <span
        className={cx(
          'absolute top-1 right-1 size-2 rounded-full ring-2 ring-canvas',
          signal === 'verified' ? 'bg-critical' : 'bg-n8',
        )}
      />
    ),
  }
}
