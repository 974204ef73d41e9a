/** `/integrations`: where word of what happens goes, and the tokens that programs use. */
import type { Channel } from '@glacis/contract/channel'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiTokens } from '#channels/api-tokens.tsx'
import { ChannelRow } from '#channels/channel-row.tsx'
import { list } from '#channels/queries.ts'
import { SecretDialog, type Shown } from '#channels/secret-dialog.tsx'
import { kinds } from '#channels/words.ts'
import { useSession } from '#identity/session.ts'
import { pageWords } from '#lib/page-words.ts'
import { PageHead } from '#ui/page-head.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ErrorState } from '#ui/states.tsx'

export function IntegrationsPage() {
  const { data, isError, error, refetch } = useQuery(list())
  const email = useSession()?.identity.traits.email ?? ''
  const [shown, setShown] = useState<Shown>()
  return (
    <div className="w-full pb-14">
      <PageHead title={pageWords.integrations.title} description={pageWords.integrations.lede} />
      <div className="mt-5 border-t border-line px-(--gl-gutter)">
        <div className="max-w-[800px]">
          {isError ? (
            <ErrorState
              title="The channels could not be loaded"
              message={error.message}
              onRetry={() => void refetch()}
            />
          ) : (
            <ul aria-label="Notification channels" className="divide-y divide-line border-b border-line">
              {data ? (
                rowsOf(data.channels).map(({ key, ...row }) => (
                  <ChannelRow key={key} {...row} email={email} onSecret={setShown} />
                ))
              ) : (
                <Waiting />
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

/** Each kind has a row, which stays when its first channel comes or goes; several channels of a kind have one each. */
interface Row {
  readonly key: string
  readonly kind: (typeof kinds)[number]
  readonly channel: Channel | undefined
}
function rowsOf(channels: readonly Channel[]): Row[] {
  return kinds.flatMap((kind): Row[] => {
    const own = channels.filter((channel) => channel.kind === kind.kind)
    return own.length === 0
      ? [{ key: kind.kind, kind, channel: undefined }]
      : own.map((channel, index) => ({ key: index === 0 ? kind.kind : channel.id, kind, channel }))
  })
}

function Waiting() {
  return kinds.map(({ kind }) => (
    <li key={kind} className="py-6">
      <Skeleton className="w-40" />
      <Skeleton className="mt-2.5 w-72 max-w-full" />
    </li>
  ))
}
