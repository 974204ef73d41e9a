import { ChevronDown, ChevronLeft, ChevronRight } from 'lucide-react'
import { formatNumber } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Menu } from '#ui/menu.tsx'
import { MenuChoice } from '#ui/menu-entries.tsx'

/**
 * The footer of a list: position, rows per page, and previous/next. There are no page numbers, because pages are
 * addressed by tokens.
 */
export function Pager({
  from,
  shown,
  total,
  totalIsExact = true,
  size,
  sizes = [25, 50, 100, 500],
  onSize,
  onPrevious,
  onNext,
}: {
  /** One-based number of the first row shown. */
  readonly from: number
  readonly shown: number
  readonly total?: number | undefined
  readonly totalIsExact?: boolean | undefined
  readonly size: number
  readonly sizes?: readonly number[]
  readonly onSize?: (size: number) => void
  /** Absent on the first page. */
  readonly onPrevious?: (() => void) | undefined
  /** Absent on the last page. */
  readonly onNext?: (() => void) | undefined
}) {
  const range = shown === 0 ? '0' : `${formatNumber(from)}–${formatNumber(from + shown - 1)}`
  const of = total === undefined ? '' : ` of ${formatNumber(total)}${totalIsExact ? '' : '+'}`
  return (
    <nav
      aria-label="Pages"
      className="sticky bottom-0 short:static z-(--gl-z-sticky) flex flex-wrap items-center gap-2 bg-surface px-(--gl-gutter) py-2.5 text-ink-2 tabular-nums shadow-[0_-1px_0_var(--gl-line)]"
    >
      <span aria-live="polite">
        {range}
        {of}
      </span>
      <div className="ml-auto flex items-center gap-2">
        {onSize && (
          <Menu
            variant="ghost"
            place="top end"
            widthClassName="min-w-[110px]"
            label={`Rows: ${size} per page`}
            button={
              <>
                <span>
                  <span className="max-sm:sr-only">Rows: </span>
                  {size}
                </span>
                <ChevronDown aria-hidden="true" className="-mr-0.5 text-ink-3" />
              </>
            }
          >
            {sizes.map((choice) => (
              <MenuChoice key={choice} checked={choice === size} onClick={() => onSize(choice)}>
                {choice}
              </MenuChoice>
            ))}
          </Menu>
        )}
        <Button
          size="sm"
          disabled={!onPrevious}
          onClick={onPrevious}
          icon={<ChevronLeft aria-hidden="true" className="-ml-0.5" />}
        >
          Previous
        </Button>
        <Button size="sm" disabled={!onNext} onClick={onNext}>
          Next
          <ChevronRight aria-hidden="true" className="-mr-0.5" />
        </Button>
      </div>
    </nav>
  )
}
