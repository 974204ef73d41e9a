import { ChevronDown, ChevronUp } from 'lucide-react'
import { KindGlyph } from '#graph/kind-glyph.tsx'
import { type Kind, kindOrder, kindLabels } from '#graph/model.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { readStored, writeStored } from '#lib/storage.ts'
import { Button } from '#ui/button.tsx'
import { useState } from 'react'

interface LegendProps {
  readonly counts: Readonly<Record<Kind, number>>
  readonly hidden: readonly Kind[]
  readonly onToggle: (kind: Kind) => void
}

const storageKey = 'map-legend'
/** On small screens the legend would cover the map, so it starts collapsed. */
const isWideScreen = () => window.matchMedia('(min-width: 832px)').matches

/** The node kinds with their counts. Clicking a kind hides or shows its nodes. */
export function Legend({ counts, hidden, onToggle }: LegendProps) {
  const [isOpen, setIsOpen] = useState(() => (readStored(storageKey) ?? String(isWideScreen())) === 'true')
  const toggle = () => {
    writeStored(storageKey, String(!isOpen))
    setIsOpen(!isOpen)
  }
  return (
    <section
      aria-label="Legend"
      className="absolute bottom-4 left-4 min-w-36 rounded-lg bg-raised px-1.5 py-1.5 shadow-menu"
    >
      {isOpen && (
        <ul className="mb-1">
          {kindOrder
            .filter((kind) => counts[kind] > 0 || kind !== 'other')
            .map((kind) => (
              <li key={kind}>
                <button
                  type="button"
                  aria-pressed={!hidden.includes(kind)}
                  title={hidden.includes(kind) ? `Show ${kindLabels[kind]}` : `Hide ${kindLabels[kind]}`}
                  onClick={() => onToggle(kind)}
                  className={cx(
                    'flex h-7 w-full items-center gap-2 rounded-md px-2 text-13 hover:bg-raised-hover',
                    hidden.includes(kind) && 'text-ink-3 line-through',
                  )}
                >
                  <KindGlyph kind={kind} />
                  {kindLabels[kind]}
                  <span className="ml-auto pl-6 text-ink-2 tabular-nums">{formatNumber(counts[kind])}</span>
                </button>
              </li>
            ))}
        </ul>
      )}
      {isOpen && counts.threat > 0 && !hidden.includes('threat') && (
        <p className="mb-1 flex items-center gap-2 px-2 text-12 text-ink-2">
          <KindGlyph kind="threat" isOutline />
          Below high severity
        </p>
      )}
      <Button
        size="xs"
        variant="ghost"
        aria-expanded={isOpen}
        icon={isOpen ? <ChevronDown /> : <ChevronUp />}
        onClick={toggle}
      >
        {isOpen ? 'Hide legend' : 'Show legend'}
      </Button>
    </section>
  )
}
