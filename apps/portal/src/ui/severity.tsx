import type { SeverityCategory } from '@glacis/contract/threat'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'

/** Severity levels in the UI; `none` includes unspecified. */
export type SeverityLevel = 'critical' | 'high' | 'medium' | 'low' | 'none'
/** Most severe first. */
export const severityLevels = ['critical', 'high', 'medium', 'low'] as const

export const severityLabels: Readonly<Record<SeverityLevel, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'None',
}
const levels: Readonly<Record<SeverityCategory, SeverityLevel>> = {
  CATEGORY_CRITICAL: 'critical',
  CATEGORY_HIGH: 'high',
  CATEGORY_MEDIUM: 'medium',
  CATEGORY_LOW: 'low',
  CATEGORY_NONE: 'none',
  CATEGORY_UNSPECIFIED: 'none',
}
const marks: Readonly<Record<SeverityLevel, string>> = {
  critical: 'text-critical',
  high: 'text-high',
  medium: 'text-medium',
  low: 'text-low',
  none: 'text-none',
}
const inks: Readonly<Record<SeverityLevel, string>> = {
  critical: 'text-critical-ink',
  high: 'text-high-ink',
  medium: 'text-medium-ink',
  low: 'text-low-ink',
  none: 'text-none-ink',
}
const bars: Readonly<Record<SeverityLevel, number>> = { critical: 3, high: 3, medium: 2, low: 1, none: 0 }

/** The level of an API category. */
export function severityLevel(category: SeverityCategory): SeverityLevel {
  return levels[category]
}

/** The icon of a level: a filled square for critical, bars otherwise. Always shown with its word or a number. */
export function SeverityGlyph({ level, className }: { readonly level: SeverityLevel; readonly className?: string }) {
  return (
    <svg viewBox="0 0 14 14" aria-hidden="true" className={cx('size-3.5', marks[level], className)}>
      {level === 'critical' ? (
        <>
          <rect x=".5" y=".5" width="13" height="13" rx="3" fill="currentColor" />
          <rect x="6.1" y="3" width="1.8" height="5" rx=".6" fill="var(--gl-surface)" />
          <rect x="6.1" y="9.2" width="1.8" height="1.8" rx=".6" fill="var(--gl-surface)" />
        </>
      ) : (
        [0, 1, 2].map((bar) => (
          <rect
            key={bar}
            x={1 + bar * 4.5}
            y={8.5 - bar * 3.5}
            width="3"
            height={4.5 + bar * 3.5}
            rx=".8"
            fill={bar < bars[level] ? 'currentColor' : 'var(--gl-n6)'}
          />
        ))
      )}
    </svg>
  )
}

/** Icon and word. */
export function Severity({ level }: { readonly level: SeverityLevel }) {
  return (
    <span className="inline-flex items-center gap-[7px] align-top font-medium whitespace-nowrap">
      <SeverityGlyph level={level} />
      <span className={inks[level]}>{severityLabels[level]}</span>
    </span>
  )
}

/** Icon and number; the word is in the tooltip and for screen readers. */
export function SeverityTally({ level, count }: { readonly level: SeverityLevel; readonly count: number }) {
  return (
    <span className="inline-flex items-center gap-1.5 tabular-nums" title={severityLabels[level]}>
      <SeverityGlyph level={level} />
      <span className="sr-only">{severityLabels[level]} </span>
      <span className={count > 0 ? cx('font-medium', inks[level]) : 'text-ink-3'}>{formatNumber(count)}</span>
    </span>
  )
}

const hits: Partial<Record<SeverityLevel, string>> = {
  critical: 'bg-critical-tint text-critical-ink font-medium',
  high: 'bg-high-tint text-high-ink font-medium',
}

/** A count by severity: critical and high are emphasized, zero is muted. */
export function SeverityNumber({ level, count }: { readonly level: SeverityLevel; readonly count: number }) {
  const hit = count > 0 ? hits[level] : undefined
  return <span className={cx('cnt', count === 0 && 'z', hit ?? 'plain')}>{formatNumber(count)}</span>
}
