/** Cells shared by the tables of issues. */
import type { AffectedHost, Issue } from '@glacis/contract/issue'
import type { Severity as SeverityValue, Threat } from '@glacis/contract/threat'
import type { OptionalColumn } from '#issues/columns.ts'
import { cx } from '#lib/cx.ts'
import { formatDate, formatNumber, formatPercent, formatScore } from '#lib/format.ts'
import { Badge } from '#ui/badge.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { CellLink } from '#ui/table.tsx'

/** Severity on the left, score on the right. */
export function SeverityWithScore({ severity }: { readonly severity: SeverityValue }) {
  return (
    <span className="flex items-center justify-between gap-2 max-md:justify-start max-md:gap-1">
      <Severity level={severityLevel(severity.category)} />
      {severity.score > 0 && <span className="text-ink-2 tabular-nums">{formatScore(severity.score)}</span>}
    </span>
  )
}

/** The first CVE among a threat's references. */
export function firstCve({ references }: Pick<Threat, 'references'>): string | undefined {
  for (const reference of references) if ('cve' in reference) return reference.cve
  return undefined
}

/**
 * The product that a threat affects, if no word of it is in the name, as in some feeds. Read from the list of
 * affected versions, whose lines start with the product; free text has no such start.
 */
export function productOf({ name, affected }: Pick<Threat, 'name' | 'affected'>): string | undefined {
  const [, product] = /^([^:\n]{1,60}): (?:[\d≥≤<>]|all versions)/.exec(affected) ?? []
  const nameWords = new Set(wordsOf(name))
  return product && !wordsOf(product).some((word) => nameWords.has(word)) ? product : undefined
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]{3,}/gu) ?? []
}

/**
 * The name with its badges, product, and CVE. The name wraps to a second line before it is truncated, because similar
 * risks of a product differ only at the end. What doesn't fit in two lines is hidden, badges never.
 */
export function IssueName({
  issue,
  isPotentialMarked = false,
}: {
  readonly issue: Issue
  readonly isPotentialMarked?: boolean
}) {
  const cve = firstCve(issue.threat)
  const product = productOf(issue.threat)
  const isExploited = issue.threat.knownExploited !== undefined
  const isMarked = isPotentialMarked && issue.verification === 'VERIFICATION_UNVERIFIED'
  const nameWidth = cx(
    isExploited && isMarked
      ? 'max-w-[calc(100%-112px)]'
      : isExploited
        ? 'max-w-[calc(100%-44px)]'
        : isMarked && 'max-w-[calc(100%-72px)]',
  )
  return (
    <CellLink
      to="/risks/$id"
      params={{ id: issue.id }}
      title={[issue.name, product, cve !== issue.name && cve].filter(Boolean).join(', ')}
      data-row-link
      className="h-auto! max-h-10 flex-wrap gap-y-0! overflow-hidden py-0! whitespace-normal max-md:max-h-none max-md:gap-y-1! md:@max-[760px]:max-h-none md:@max-[760px]:gap-y-1!"
    >
      <span
        className={cx(
          'ttl line-clamp-2 max-md:line-clamp-none max-md:max-w-full md:@max-[760px]:max-w-full',
          nameWidth || 'max-w-full',
        )}
      >
        {issue.name}
      </span>
      {isExploited && (
        <Badge small variant="red" title="Exploited in the wild (CISA KEV)">
          KEV
        </Badge>
      )}
      {isMarked && (
        <Badge small title="Inferred, not confirmed by a check">
          Potential
        </Badge>
      )}
      {product && <span className="max-w-full truncate text-ink-2">{product}</span>}
      {cve && cve !== issue.name && (
        <span className="flex-none font-mono text-ink-3 max-md:hidden md:@max-[760px]:hidden">{cve}</span>
      )}
    </CellLink>
  )
}

/** The name under which the host was reached, else its address. */
export function hostName({ host }: Pick<AffectedHost, 'host'>): string {
  return host.name ?? host.address
}

/** The first host and the number of others, which is never truncated. */
export function AffectedHosts({ issue }: { readonly issue: Issue }) {
  const [first] = issue.affectedHosts
  if (!first) return <span className="text-ink-3">None</span>
  const more = (issue.affectedHostCount ?? issue.affectedHosts.length) - 1
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="truncate font-mono text-ink-2" title={hostName(first)}>
        {hostName(first)}
      </span>
      {more > 0 && <span className="flex-none text-ink-3 tabular-nums">+{formatNumber(more)}</span>}
    </span>
  )
}

export function OptionalCell({ column, issue }: { readonly column: OptionalColumn; readonly issue: Issue }) {
  const text = optionalText(column, issue)
  return text === undefined ? (
    <span className="text-ink-3">–</span>
  ) : (
    <span className="block truncate tabular-nums" title={text}>
      {text}
    </span>
  )
}

function optionalText(column: OptionalColumn, { priority, threat, affectedHosts, dueTime, assignee, tags }: Issue) {
  if (column === 'priority') return priority?.toString()
  if (column === 'epss') return threat.epss && formatPercent(threat.epss.score)
  if (column === 'due') return dueTime && formatDate(dueTime)
  if (column === 'assignee') return assignee?.name
  if (column === 'tags') return tags.map(({ name }) => name).join(', ') || undefined
  return [...new Set(affectedHosts.map(({ target }) => target.name))].join(', ') || undefined
}
