/** Table of the targets that an agent scans. */
import { useQuery } from '@tanstack/react-query'
import { list } from '#targets/queries.ts'
import { LastScan } from '#targets/target-table.tsx'
import { targetAddress } from '@glacis/contract/target-address'
import { periodLabels } from '#targets/labels.ts'
import { cx } from '#lib/cx.ts'
import { formatNumber } from '#lib/format.ts'
import { totalOf } from '#ui/list.tsx'
import { SeverityCells, SeverityHeads } from '#ui/severity-columns.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, StackedName, Table } from '#ui/table.tsx'

export function TargetsOfAgent({ agentId }: { readonly agentId: string }) {
  const { data, isError } = useQuery(list({ pageSize: 100, filter: { agentId } }))
  const total = totalOf(data, data?.targets.length ?? 0)
  return (
    <section aria-label="Targets" className={cx('pt-5', data?.targets.length === 0 && 'border-b border-line')}>
      <h2 className="flex min-h-7 items-center gap-2 px-(--gl-gutter) text-14/5 font-semibold tracking-[-.006em]">
        Targets
        {total ? <span className="font-normal text-ink-3 tabular-nums">{formatNumber(total)}</span> : null}
      </h2>
      {isError && !data && (
        <p className="px-(--gl-gutter) pb-5 text-ink-2">
          The targets couldn't be loaded. Reload the page to try again.
        </p>
      )}
      {data?.targets.length === 0 && (
        <p className="mt-1 px-(--gl-gutter) pb-5.5 text-ink-2">
          No targets use this agent. To assign it, edit a target and choose this agent.
        </p>
      )}
      {(!data || data.targets.length > 0) && !(isError && !data) && (
        <Table label="Targets" tall className="mt-2">
          <thead>
            <tr>
              <HeaderCell>Target</HeaderCell>
              <HeaderCell width={96} priority={1}>
                Schedule
              </HeaderCell>
              <SeverityHeads />
              <HeaderCell width={150}>Last scan</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {!data && <SkeletonRows rows={3} columns={7} />}
            {data?.targets.map((target) => (
              <tr key={target.id}>
                <Cell label="Target" primary>
                  <CellLink to="/scope/$id" params={{ id: target.id }} title={`${target.name}, ${target.address}`}>
                    <StackedName name={target.name} detail={targetAddress(target)} />
                  </CellLink>
                </Cell>
                <Cell label="Schedule" priority={1} quiet>
                  {periodLabels[target.schedule.period]}
                </Cell>
                <SeverityCells counts={target.issueCount} />
                <Cell label="Last scan" quiet>
                  <LastScan target={target} />
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  )
}
