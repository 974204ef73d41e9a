/** The feeds: their age, size, state, and import progress. */
import type { Feed } from '@glacis/contract/insights'
import { useMutation, useQuery } from '@tanstack/react-query'
import { feedPurpose } from '#lib/feed-purposes.ts'
import { formatNumber } from '#lib/format.ts'
import { checkFeedNow, feeds } from '#onboarding/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { Button } from '#ui/button.tsx'
import { SectionHead } from '#ui/card.tsx'
import { RelativeTime } from '#ui/relative-time.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Spinner } from '#ui/spinner.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'
import { SectionError } from '#ui/states.tsx'

export function FeedTable() {
  const { data, isError, refetch } = useQuery(feeds())
  const hasChecks = data?.feeds.some(({ checkable }) => checkable) ?? false
  const hasVersions = data?.feeds.some(({ version }) => readableVersion(version) !== '') ?? false
  return (
    <section aria-label="Feeds" className="border-b border-line pt-5 pb-2">
      <div className="px-(--gl-gutter) pb-2">
        <SectionHead title="Feeds" />
        <p className="text-12 text-ink-3">The checks, fingerprints, and vulnerability records that scans use.</p>
        {data?.feeds.some(({ checkable, problem }) => checkable && problem) && (
          <p className="text-12 text-ink-3">
            Failed updates are retried automatically.{' '}
            <a href="/docs/backup-and-upgrade#offline-installations" className="inline-link">
              Import feeds without internet access
            </a>
          </p>
        )}
      </div>
      {isError && !data && (
        <div className="px-(--gl-gutter) pb-3">
          <SectionError what="Feeds" onRetry={() => void refetch()} />
        </div>
      )}
      {!data && !isError && <Skeleton className="mx-(--gl-gutter) my-4 w-2/3" />}
      {data && (
        <div className="px-(--gl-gutter)">
          <Table label="Feeds" fit="text">
            <thead>
              <tr>
                <HeaderCell width={340}>Name</HeaderCell>
                {hasVersions && (
                  <HeaderCell width={120} priority={3}>
                    Version
                  </HeaderCell>
                )}
                <HeaderCell width={110} align="end" priority={1}>
                  Records
                </HeaderCell>
                <HeaderCell width={150}>Updated</HeaderCell>
                <HeaderCell>State</HeaderCell>
                {hasChecks && (
                  <HeaderCell width={120}>
                    <span className="sr-only">Actions</span>
                  </HeaderCell>
                )}
              </tr>
            </thead>
            <tbody>
              {data.feeds.map((feed) => (
                <Row key={feed.name} feed={feed} hasChecks={hasChecks} hasVersions={hasVersions} />
              ))}
            </tbody>
          </Table>
        </div>
      )}
    </section>
  )
}

/** Hides versions that are content digests, which mean nothing to users. */
function readableVersion(version: string): string {
  return /^[0-9a-f]{16}$/.test(version) ? '' : version
}

interface RowProps {
  readonly feed: Feed
  /** At least one feed can be checked manually, so every row has that cell. */
  readonly hasChecks: boolean
  /** At least one feed has a readable version. */
  readonly hasVersions: boolean
}
function Row({ feed, hasChecks, hasVersions }: RowProps) {
  return (
    <tr>
      <Cell label="Name" primary className="md:py-1.5!">
        <FeedName name={feed.name} />
      </Cell>
      {hasVersions && (
        <Cell label="Version" priority={3} quiet className="tabular-nums">
          {readableVersion(feed.version)}
        </Cell>
      )}
      <Cell label="Records" align="end" priority={1}>
        {formatNumber(feed.records)}
      </Cell>
      <Cell label="Updated" quiet>
        <FeedAge feed={feed} />
      </Cell>
      <Cell label="State" className="md:py-1.5!" title={feed.problem ?? feed.progress}>
        <FeedState feed={feed} />
      </Cell>
      {hasChecks && <Cell className="md:text-right">{feed.checkable && <CheckNow feed={feed} />}</Cell>}
    </tr>
  )
}

function FeedName({ name }: Pick<Feed, 'name'>) {
  const purpose = feedPurpose(name)
  return (
    <span className="grid whitespace-normal">
      {name}
      {purpose && <span className="text-12 text-ink-3">{purpose}</span>}
    </span>
  )
}

/** When the feed last changed and, if its source was queried since without a change, when. */
function FeedAge({ feed: { updateTime, checkTime } }: { readonly feed: Feed }) {
  const isChecked = checkTime !== undefined && (updateTime === undefined || checkTime > updateTime)
  return (
    <span className="grid">
      {updateTime ? <RelativeTime value={updateTime} /> : 'Never'}
      {isChecked && (
        <span className="text-12 text-ink-3">
          checked <RelativeTime value={checkTime} />
        </span>
      )}
    </span>
  )
}

/** Checks the source for updates. The row shows the result. */
function CheckNow({ feed }: { readonly feed: Feed }) {
  const checking = useMutation(checkFeedNow)
  return (
    <Button
      size="sm"
      call="checkFeed"
      variant="secondary"
      aria-label={`Check now: ${feed.name}`}
      loading={checking.isPending}
      disabled={Boolean(feed.progress)}
      onClick={() => checking.mutate(feed.name)}
    >
      Check now
    </Button>
  )
}

function FeedState({ feed }: { readonly feed: Feed }) {
  if (feed.progress) {
    return (
      <span className="inline-flex min-w-0 items-center gap-2 text-ink-2">
        <Spinner />
        <span className="truncate">{feed.progress}</span>
      </span>
    )
  }
  const skipped = feed.skipped ? `${formatNumber(feed.skipped)} skipped` : ''
  return (
    <span className="inline-flex min-w-0 items-center gap-2">
      {feed.problem ? (
        <Badge variant="orange">Update failed</Badge>
      ) : (
        <Badge variant={feed.records > 0 ? 'green' : 'gray'}>{feed.records > 0 ? 'Ready' : 'Empty'}</Badge>
      )}
      <span className="min-w-0 whitespace-normal wrap-anywhere text-ink-2">
        {feed.problem ?? skipped}
        {feed.problem && !feed.checkable && (
          <span className="block text-12 text-ink-3">Fix the problem, then import the feed again.</span>
        )}
      </span>
    </span>
  )
}

/** The feeds being imported; renders nothing if there are none. */
export function FeedImports() {
  const busy = useQuery(feeds()).data?.feeds.filter(({ progress }) => progress) ?? []
  if (busy.length === 0) return null
  return (
    <output aria-label="Feeds" className="grid gap-1.5 border-t border-line pt-4 text-12 text-ink-2">
      {busy.map(({ name, progress }) => (
        <span key={name} className="inline-flex items-center gap-2">
          <Spinner />
          {progress}
        </span>
      ))}
      <span className="text-ink-3">
        You can scan in the meantime. New records are matched against existing results.
      </span>
    </output>
  )
}
