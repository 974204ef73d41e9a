import type { FailedJob, Queue } from '@glacis/contract/installation'
import { useMutation, useQuery } from '@tanstack/react-query'
import { formatDuration, formatNumber } from '#lib/format.ts'
import { queues, retry } from '#installation/queries.ts'
import { Button } from '#ui/button.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SettingsHeading, SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

/** Background work: waiting, running, and failed jobs. */
export function Queues() {
  const { data, isError, refetch } = useQuery(queues())
  return (
    <SettingsSection
      id="queues"
      title="Queues"
      description="Background jobs across all workers. Failed jobs are kept for up to an hour."
    >
      {isError && !data && <SectionError what="Queues" onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="w-2/3" />}
      {data && <QueueTable queues={data.queues.filter(hasJobs)} />}
      {data && !data.queues.every(hasJobs) && (
        <p className="text-ink-2">
          {data.queues.some(hasJobs) ? 'All other queues are empty.' : 'All queues are empty.'}
        </p>
      )}
      {data && data.failedJobs.length > 0 && <FailedJobs jobs={data.failedJobs} />}
    </SettingsSection>
  )
}

/** The server's queues, by what their jobs do. */
const queueLabels: Readonly<Record<string, string>> = {
  'scan-plan': 'Scan planning',
  'scan-batch': 'Scanning',
  delivery: 'Notifications',
  sweep: 'Periodic tasks',
  feeds: 'Feed updates',
  'feed-check': 'Requested feed updates',
  backup: 'Backups',
  decisions: 'Status changes on many hosts',
  mention: 'Mention emails',
  invitation: 'Invitation emails',
  mail: 'Sign-in emails',
  changes: 'Matching with updated feeds',
}

function hasJobs({ waiting, active, failed }: Queue): boolean {
  return waiting + active + failed > 0
}

function QueueTable({ queues: rows }: { readonly queues: readonly Queue[] }) {
  if (rows.length === 0) return null
  return (
    <Table label="Queues" fit="card">
      <thead>
        <tr>
          <HeaderCell>Queue</HeaderCell>
          <HeaderCell align="end">Waiting</HeaderCell>
          <HeaderCell align="end">Longest wait</HeaderCell>
          <HeaderCell align="end">Running</HeaderCell>
          <HeaderCell align="end">Failed</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, waiting, waitSeconds, active, failed }) => (
          <tr key={name}>
            <Cell label="Queue" primary>
              {queueLabels[name] ?? name}
            </Cell>
            <Cell label="Waiting" align="end">
              {formatNumber(waiting)}
            </Cell>
            <Cell label="Longest wait" align="end" quiet>
              {waitSeconds < 1 ? '–' : formatDuration(waitSeconds * 1000)}
            </Cell>
            <Cell label="Running" align="end">
              {formatNumber(active)}
            </Cell>
            <Cell label="Failed" align="end">
              {formatNumber(failed)}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function FailedJobs({ jobs }: { readonly jobs: readonly FailedJob[] }) {
  const retrying = useMutation(retry)
  return (
    <>
      <SettingsHeading>Failed jobs</SettingsHeading>
      <SettingsList label="Failed jobs">
        {jobs.map(({ id, queue, attempts, error, failTime }) => (
          <SettingsRow
            key={id}
            name={queueLabels[queue] ?? queue}
            detail={
              <>
                Attempt {attempts} failed <RelativeTime value={failTime} />
                {error && <span className="block wrap-anywhere">{error}</span>}
              </>
            }
          >
            <Button
              size="sm"
              aria-label={`Retry job: ${queueLabels[queue] ?? queue}`}
              loading={retrying.isPending && retrying.variables === id}
              onClick={() => retrying.mutate(id)}
            >
              Retry
            </Button>
          </SettingsRow>
        ))}
      </SettingsList>
    </>
  )
}
