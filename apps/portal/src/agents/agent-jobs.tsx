/** The latest jobs of an agent. */
import type { AgentJob, AgentJobState } from '@glacis/contract/agent'
import { useQuery } from '@tanstack/react-query'
import { jobs } from '#agents/queries.ts'
import { jobStateLabels } from '#agents/labels.ts'
import { useNow } from '#lib/clock.ts'
import { formatDuration, formatNumber } from '#lib/format.ts'
import { Badge, type BadgeVariant } from '#ui/badge.tsx'
import { Block } from '#ui/card.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { Cell, CellLink, HeaderCell, Table } from '#ui/table.tsx'

const variants: Readonly<Record<AgentJobState, BadgeVariant>> = {
  STATE_RUNNING: 'main',
  STATE_DONE: 'green',
  STATE_RETURNED: 'gray',
  STATE_LOST: 'orange',
  STATE_CANCELLED: 'gray',
  STATE_FAILED: 'red',
}

export function AgentJobs({ id }: { readonly id: string }) {
  const { data, isError } = useQuery(jobs(id))
  return (
    <Block title="Jobs">
      {isError && !data && <p className="text-ink-2">The jobs couldn't be loaded. Reload the page to try again.</p>}
      {data?.jobs.length === 0 && (
        <p className="text-ink-2">No jobs yet. The agent gets jobs when one of its targets is scanned.</p>
      )}
      {(!data || data.jobs.length > 0) && !(isError && !data) && (
        <Table label="Jobs" fit="text">
          <thead>
            <tr>
              <HeaderCell>Target</HeaderCell>
              <HeaderCell width={110}>State</HeaderCell>
              <HeaderCell width={90} align="end" priority={1}>
                Hosts
              </HeaderCell>
              <HeaderCell width={110} align="end" priority={2}>
                Duration
              </HeaderCell>
              <HeaderCell width={130}>Started</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {data ? data.jobs.map((job) => <Row key={job.id} job={job} />) : <SkeletonRows rows={3} columns={5} />}
          </tbody>
        </Table>
      )}
    </Block>
  )
}

function Row({ job }: { readonly job: AgentJob }) {
  const now = useNow()
  const end = job.endTime ? Date.parse(job.endTime) : now
  return (
    <tr>
      <Cell label="Target" primary>
        <CellLink to="/scans/$id" params={{ id: job.scanId }} title={job.error || job.targetName}>
          <span className="ttl truncate">{job.targetName}</span>
          {job.error && <span className="truncate text-ink-2">{job.error}</span>}
        </CellLink>
      </Cell>
      <Cell label="State">
        <Badge variant={variants[job.state]}>{jobStateLabels[job.state]}</Badge>
      </Cell>
      <Cell label="Hosts" align="end" priority={1}>
        {formatNumber(job.hostCount)}
      </Cell>
      <Cell label="Duration" align="end" priority={2} quiet>
        {formatDuration(Math.max(0, end - Date.parse(job.startTime)))}
      </Cell>
      <Cell label="Started" quiet>
        <RelativeTime value={job.startTime} />
      </Cell>
    </tr>
  )
}
