/** Known threats of a product that were not found on the workspace's hosts, and why. */
import type { ProductThreat } from '@glacis/contract/product'
import { useInfiniteQuery } from '@tanstack/react-query'
import { formatPercent, formatScore } from '#lib/format.ts'
import { useFeedGap } from '#onboarding/queries.ts'
import { threats } from '#products/queries.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { SectionHead } from '#ui/card.tsx'
import { feedGapState } from '#ui/feed-gap.tsx'
import { ListBody } from '#ui/list.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { Severity, severityLevel } from '#ui/severity.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

const affectsLabels: Readonly<
  Record<ProductThreat['affectsVersion'], { readonly word: string; readonly variant: BadgeVariant }>
> = {
  AFFECTS_YES: { word: 'Yes', variant: 'orange' },
  AFFECTS_NO: { word: 'No', variant: 'green' },
  AFFECTS_UNKNOWN: { word: 'Unknown', variant: 'gray' },
}

/** Highest severity first, with "Load more". */
export function ProductThreats({ id }: { readonly id: string }) {
  const query = useInfiniteQuery(threats(id))
  const rows = query.data?.pages.flatMap((page) => page.threats)
  const gap = useFeedGap('NVD')
  const empty = gap
    ? feedGapState(gap, 'which other vulnerabilities this technology has')
    : { title: 'No other known vulnerabilities of this technology', text: undefined }
  return (
    <section aria-label="Other known vulnerabilities" className="pt-5 pb-6">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead title="Other known vulnerabilities" />
      </div>
      <ListBody
        what="Known vulnerabilities"
        query={query}
        count={rows?.length}
        empty={<EmptyState title={empty.title}>{empty.text}</EmptyState>}
      >
        <Table label="Other known vulnerabilities">
          <thead>
            <tr>
              <HeaderCell width={148}>Severity</HeaderCell>
              <HeaderCell width={208}>Vulnerability</HeaderCell>
              <HeaderCell width={84} align="end" priority={2}>
                EPSS
              </HeaderCell>
              <HeaderCell width={116}>Affected</HeaderCell>
              <HeaderCell>Reason</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {!rows && <SkeletonRows columns={5} />}
            {rows?.map((row) => (
              <Row key={row.threat.id} row={row} />
            ))}
          </tbody>
        </Table>
      </ListBody>
      {query.hasNextPage && (
        <div className="px-(--gl-gutter) pt-3">
          <LoadMore query={query} size="sm" />
        </div>
      )}
    </section>
  )
}

function Row({ row: { threat, key, affectsVersion, reason } }: { readonly row: ProductThreat }) {
  const { word, variant } = affectsLabels[affectsVersion]
  return (
    <tr>
      <Cell label="Severity">
        <span className="flex items-center justify-between gap-2 max-md:justify-start">
          <Severity level={severityLevel(threat.severity.category)} />
          {threat.severity.score > 0 && (
            <span className="text-ink-2 tabular-nums">{formatScore(threat.severity.score)}</span>
          )}
        </span>
      </Cell>
      <Cell label="Vulnerability" primary title={threat.name}>
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-mono">{key}</span>
          {threat.knownExploited && (
            <Badge small variant="red" title="Exploited in the wild (CISA KEV)">
              KEV
            </Badge>
          )}
        </span>
      </Cell>
      <Cell label="EPSS" align="end" priority={2}>
        {threat.epss ? formatPercent(threat.epss.score) : '–'}
      </Cell>
      <Cell label="Affected">
        <Badge variant={variant}>{word}</Badge>
      </Cell>
      <Cell label="Reason" quiet title={reason}>
        <span className="line-clamp-2 whitespace-normal">{reason}</span>
      </Cell>
    </tr>
  )
}
