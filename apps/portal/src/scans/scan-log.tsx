/** What a scan did, line by line. */
import type { ResultOf } from '@glacis/contract/endpoint'
import type { listScanEvents } from '@glacis/contract/scan'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { cx } from '#lib/cx.ts'
import { events } from '#scans/queries.ts'
import { Badge } from '#ui/badge.tsx'
import { Input } from '#ui/field.tsx'
import { ListBody } from '#ui/list.tsx'
import { AbsoluteTime } from '#ui/relative-time.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import { EmptyState } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

type ScanEvent = ResultOf<typeof listScanEvents>['events'][number]

const levels: Readonly<
  Record<ScanEvent['level'], { readonly word: string; readonly variant: 'gray' | 'yellow' | 'red' }>
> = {
  LEVEL_INFO: { word: 'Info', variant: 'gray' },
  LEVEL_WARN: { word: 'Warning', variant: 'yellow' },
  LEVEL_ERROR: { word: 'Error', variant: 'red' },
}

/** Oldest first; grows while the scan runs. */
export function ScanLog({ id, isRunning }: { readonly id: string; readonly isRunning: boolean }) {
  const query = useQuery(events(id, { isRunning }))
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = query.data?.events.filter(({ message }) => message.toLowerCase().includes(wanted))
  return (
    <section aria-label="Log" className="pt-3">
      <div className="max-w-72 px-(--gl-gutter) pb-3">
        <Input
          type="search"
          small
          aria-label="Search the log"
          placeholder="Search the log"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <ListBody
        what="The log"
        query={query}
        count={shown?.length}
        isFiltered={wanted !== ''}
        onClear={() => setText('')}
        empty={<EmptyState title="Nothing has been written yet" />}
      >
        <Table label="Log">
          <thead>
            <tr>
              <HeaderCell width={190}>Time</HeaderCell>
              <HeaderCell width={100}>Level</HeaderCell>
              <HeaderCell>Message</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {!shown && <SkeletonRows rows={6} columns={3} />}
            {shown?.map((event) => (
              <tr key={event.id}>
                <Cell label="Time" quiet className="tabular-nums">
                  <AbsoluteTime value={event.time} />
                </Cell>
                <Cell label="Level">
                  <Badge variant={levels[event.level].variant}>{levels[event.level].word}</Badge>
                </Cell>
                <Cell label="Message" primary className={cx('py-2! whitespace-normal! wrap-anywhere')}>
                  {event.message}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </ListBody>
    </section>
  )
}
