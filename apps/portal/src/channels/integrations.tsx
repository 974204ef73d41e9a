/** `/integrations`: notification channels and API tokens. */
import type { Channel } from '@glacis/contract/channel'
import type { Member } from '@glacis/contract/workspace'
import { useQuery } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useState } from 'react'
import { ApiTokens } from '#channels/api-tokens.tsx'
import { ChannelRow } from '#channels/channel-row.tsx'
import { list } from '#channels/queries.ts'
import { SecretDialog, type NewSecret } from '#ui/secret-dialog.tsx'
import { channelKinds } from '#channels/labels.ts'
import { members } from '#workspaces/queries.ts'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ErrorState, loadErrorText } from '#ui/states.tsx'

export function IntegrationsPage() {
  const { data, isError, error, refetch } = useQuery(list())
  const people = useQuery(members()).data?.members ?? []
  const email = workspaceEmail(people)
  const [shown, setShown] = useState<NewSecret>()
  return (
    <div className="w-full pb-14">
      <PageHead
        title="Integrations"
        description="Where Glacis sends notifications about risks, emerging threats, scans, and agents. You choose the events and the minimum severity of each channel."
      />
      <div className="mt-5 border-t border-line px-(--gl-gutter)">
        <div className="max-w-[800px]">
          {isError ? (
            <ErrorState
              icon={<CloudOff />}
              title="Channels couldn't be loaded"
              message={loadErrorText(error)}
              onRetry={() => void refetch()}
            />
          ) : (
            <ul aria-label="Notification channels" className="divide-y divide-line border-b border-line">
              {data ? (
                rowsOf(data.channels).map(({ key, ...row }) => (
                  <ChannelRow key={key} {...row} email={email} onSecret={setShown} />
                ))
              ) : (
                <ChannelsSkeleton />
              )}
            </ul>
          )}
          <ApiTokens onSecret={setShown} />
        </div>
      </div>
      <SecretDialog shown={shown} onClose={() => setShown(undefined)} />
    </div>
  )
}

/** The email address of the workspace's longest-standing owner, who receives its emails. */
function workspaceEmail(people: readonly Member[]): string {
  const owners = people.filter(({ role }) => role === 'owner')
  return owners.toSorted((a, b) => Date.parse(a.joinTime) - Date.parse(b.joinTime))[0]?.email ?? 'the workspace owner'
}

/** One row per channel, or one per kind without a channel. The first row of a kind keeps its key, and so its focus. */
interface Row {
  readonly key: string
  readonly kind: (typeof channelKinds)[number]
  readonly channel: Channel | undefined
}
function rowsOf(channels: readonly Channel[]): Row[] {
  return channelKinds.flatMap((kind): Row[] => {
    const own = channels.filter((channel) => channel.kind === kind.kind)
    return own.length === 0
      ? [{ key: kind.kind, kind, channel: undefined }]
      : own.map((channel, index) => ({ key: index === 0 ? kind.kind : channel.id, kind, channel }))
  })
}

function ChannelsSkeleton() {
  return channelKinds.map(({ kind }) => (
    <li key={kind} className="py-6">
      <Skeleton className="w-40" />
      <Skeleton className="mt-2.5 w-72 max-w-full" />
    </li>
  ))
}
