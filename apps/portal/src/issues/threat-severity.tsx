/** The severity of a threat: CVSS score and metrics, EPSS, and KEV. */
import type { Threat } from '@glacis/contract/threat'
import type { ReactNode } from 'react'
import { type CvssMetric, parseCvssVector } from '#issues/cvss.ts'
import { cx } from '#lib/cx.ts'
import { formatDate, formatPercent, formatScore, locale } from '#lib/format.ts'
import { Block } from '#ui/card.tsx'
import { CopyButton } from '#ui/copy-field.tsx'
import { type SeverityLevel, severityLevel, severityLabels } from '#ui/severity.tsx'

type ThreatPart = Pick<Threat, 'severity' | 'epss' | 'knownExploited'>

/** Unknown values are omitted. */
export function ThreatSeverity({ threat }: { readonly threat: ThreatPart }) {
  const { severity, epss, knownExploited } = threat
  const level = severityLevel(severity.category)
  const reading = parseCvssVector(severity.cvss)
  if (severity.score <= 0 && !reading && !epss && !knownExploited) return null
  return (
    <Block title="Severity">
      <dl className="flex max-md:flex-col max-md:gap-3.5 md:[&>div]:flex-1 md:[&>div]:px-5 md:[&>div+div]:border-l md:[&>div+div]:border-line md:[&>div:first-child]:pl-0">
        {severity.score > 0 && (
          <Figure name={reading ? `CVSS ${reading.version} base score` : 'Score'} detail={severityLabels[level]}>
            <span className={textColors[level]}>{formatScore(severity.score)}</span>
          </Figure>
        )}
        {epss && (
          <Figure name="EPSS, next 30 days" detail={`${ordinal(epss.percentile * 100)} percentile`}>
            {formatPercent(epss.score)}
          </Figure>
        )}
        {knownExploited && (
          <Figure name="Exploited in the wild (CISA KEV)" detail={`listed since ${formatDate(knownExploited.addTime)}`}>
            Yes
          </Figure>
        )}
      </dl>
      {reading && <Metrics cells={reading.cells} level={level} />}
      {severity.cvss && (
        <p className="mt-2 flex items-center gap-2 text-12 text-ink-3">
          <span className="min-w-0 truncate font-mono" title={severity.cvss}>
            {severity.cvss}
          </span>
          <CopyButton label="Copy vector" value={severity.cvss} />
        </p>
      )}
    </Block>
  )
}

const textColors: Readonly<Record<SeverityLevel, string>> = {
  critical: 'text-critical-ink',
  high: 'text-high-ink',
  medium: 'text-medium-ink',
  low: 'text-low-ink',
  none: 'text-none-ink',
}
const barColors: Readonly<Record<SeverityLevel, string>> = {
  critical: 'bg-critical',
  high: 'bg-high',
  medium: 'bg-medium',
  low: 'bg-low',
  none: 'bg-none',
}

function Figure({
  name,
  detail,
  children,
}: {
  readonly name: string
  readonly detail: string
  readonly children: ReactNode
}) {
  return (
    <div>
      <dt className="text-12 text-ink-3">{name}</dt>
      <dd className="mt-1 flex items-baseline gap-2 text-20 font-medium tracking-[-.02em] tabular-nums">
        {children}
        <small className="text-12 font-normal tracking-normal text-ink-2">{detail}</small>
      </dd>
    </div>
  )
}

/** Columns by number of metrics; widths fit the longest value of each. */
const gridColumns: Readonly<Record<number, string>> = {
  6: 'grid-cols-6 @max-[740px]:grid-cols-3',
  8: 'grid-cols-[1.08fr_1fr_.95fr_.98fr_1.02fr_1.16fr_.86fr_.99fr] @max-[740px]:grid-cols-4',
}

/** One cell per metric. Three bars show how much the value helps an attacker; the worst level uses the severity's color. */
function Metrics({ cells, level }: { readonly cells: readonly CvssMetric[]; readonly level: SeverityLevel }) {
  return (
    <dl
      className={cx(
        'mt-3.5 grid gap-px overflow-hidden rounded-[8px] border border-line',
        gridColumns[cells.length] ?? 'grid-cols-[repeat(auto-fit,minmax(110px,1fr))] @max-[740px]:grid-cols-4',
      )}
    >
      {cells.map(({ metric, value, level: step }) => (
        <div key={metric} className="min-w-0 px-[9px] pt-2 pb-[9px] outline outline-line max-md:px-1.5">
          <dt className="truncate text-12 text-ink-3 max-md:text-[11px]" title={metric}>
            {metric}
          </dt>
          <dd className="mt-0.5 truncate font-medium" title={value}>
            {value}
            <span className="mt-1.5 flex gap-0.5" aria-hidden="true">
              {[1, 2, 3].map((bar) => (
                <i
                  key={bar}
                  className={cx(
                    'h-[3px] flex-1 rounded-[1px]',
                    bar > step ? 'bg-n5' : step === 3 ? barColors[level] : 'bg-n10',
                  )}
                />
              ))}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const ordinalRules = new Intl.PluralRules(locale, { type: 'ordinal' })
const suffixes: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }

/** 99.9 → "99.9th", 51 → "51st" */
function ordinal(value: number): string {
  const rounded = Math.round(value * 10) / 10
  return `${rounded}${Number.isInteger(rounded) ? (suffixes[ordinalRules.select(rounded)] ?? 'th') : 'th'}`
}
