/** Availability of an agent over 30 days, and its latest connections. */
import type { Agent, AgentConnection } from '@glacis/contract/agent'
import { useQuery } from '@tanstack/react-query'
import { connections } from '#agents/queries.ts'
import { availability, disconnectReasonLabels } from '#agents/labels.ts'
import { useNow } from '#lib/clock.ts'
import { cx } from '#lib/cx.ts'
import { formatAge, formatDate, formatPercent } from '#lib/format.ts'
import { Block } from '#ui/card.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'

const days = 30
const dayMs = 86_400_000
const maxShown = 10

export function AgentConnections({ agent }: { readonly agent: Agent }) {
  const now = useNow()
  const { data, isError } = useQuery(connections(agent.id))
  const list = data?.connections ?? []
  if (isError && !data)
    return <Block title="Availability">The connection history couldn't be loaded. Reload the page to try again.</Block>
  if (data && list.length === 0) return null
  return (
    <Block title={`Availability, ${days} days`}>
      <Strip shares={availability(list, { createTime: agent.createTime, now, days })} now={now} />
      <ul className="mt-3 [&>li]:border-b [&>li]:border-line [&>li]:py-2 [&>li:last-child]:border-b-0">
        {list.slice(0, maxShown).map((connection) => (
          <Row key={connection.id} connection={connection} now={now} />
        ))}
      </ul>
    </Block>
  )
}

interface StripProps {
  readonly shares: readonly (number | undefined)[]
  readonly now: number
}
function Strip({ shares, now }: StripProps) {
  const recorded = shares.filter((share) => share !== undefined)
  const mean = recorded.reduce((sum, share) => sum + share, 0) / Math.max(1, recorded.length)
  return (
    <figure>
      <div className="flex h-7 gap-0.5" aria-hidden="true">
        {shares.map((share, index) => (
          <span
            key={index}
            title={`${formatDate(now - (days - 1 - index) * dayMs)}: ${share === undefined ? 'agent not created yet' : formatPercent(share)}`}
            className={cx('min-w-0 flex-1 rounded-[2px]', colorOf(share))}
          />
        ))}
      </div>
      <figcaption className="mt-1.5 text-12 text-ink-3">
        Connected {formatPercent(mean)} of the time{' '}
        {recorded.length < shares.length ? 'since it was created' : `in the last ${days} days`}.
      </figcaption>
    </figure>
  )
}

function colorOf(share: number | undefined): string {
  if (share === undefined) return 'bg-n4'
  if (share >= 0.95) return 'bg-green-mark'
  return share > 0 ? 'bg-green-edge' : 'bg-red-edge'
}

function Row({ connection, now }: { readonly connection: AgentConnection; readonly now: number }) {
  const { connectTime, disconnectTime, reason } = connection
  const connectionDuration = formatAge(connectTime, disconnectTime ?? now)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3">
      <span className="font-medium">{reason ? disconnectReasonLabels[reason] : 'Connected'}</span>
      <span className="text-ink-2">
        {disconnectTime ? `after ${connectionDuration}` : `for ${connectionDuration}`}
        {connection.address && (
          <>
            , from <span className="font-mono">{connection.address}</span>
          </>
        )}
      </span>
      <RelativeTime value={disconnectTime ?? connectTime} className="ml-auto text-12 text-ink-3" />
    </li>
  )
}
