import { useQuery } from '@tanstack/react-query'
import { feedPurpose } from '#lib/feed-purposes.ts'
import { formatNumber } from '#lib/format.ts'
import { feeds } from '#installation/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { SettingsList, SettingsRow, SettingsSection } from '#ui/settings-section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { SectionError } from '#ui/states.tsx'

/** The age of each feed, and why its last update failed. */
export function FeedList() {
  const { data, isError, refetch } = useQuery(feeds())
  return (
    <SettingsSection
      id="feeds"
      title="Feeds"
      description="Checks, fingerprints, and vulnerability records that all workspaces share."
    >
      {isError && !data && <SectionError what="Feeds" onRetry={() => void refetch()} />}
      {!data && !isError && <Skeleton className="w-2/3" />}
      {data && !data.feeds.some(({ checkable }) => checkable) && (
        <p className="mb-3 text-ink-2">
          This installation doesn't download feeds. Set GLACIS_FEEDS=on to download them, or{' '}
          <a href="/docs/backup-and-upgrade#offline-installations" className="inline-link">
            import them from another installation
          </a>
          .
        </p>
      )}
      {data && (
        <SettingsList label="Feeds">
          {data.feeds.map(({ name, records, updateTime, problem }) => (
            <SettingsRow
              key={name}
              name={name}
              detail={
                <>
                  {feedPurpose(name) && <span className="block">{feedPurpose(name)}</span>}
                  {formatNumber(records)} {records === 1 ? 'record' : 'records'}
                  {updateTime && (
                    <>
                      {' '}
                      · updated <RelativeTime value={updateTime} />
                    </>
                  )}
                  {problem && <span className="block wrap-anywhere">{problem}</span>}
                </>
              }
            >
              {problem && <Badge variant="red">Failed</Badge>}
            </SettingsRow>
          ))}
        </SettingsList>
      )}
    </SettingsSection>
  )
}
