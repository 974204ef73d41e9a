import type { AuditEvent, AuditFilter } from '@glacis/contract/access'
import { toQueryString } from '@glacis/contract/query-string'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { apiFileUrl } from '#api/call.ts'
import { all as agents } from '#agents/queries.ts'
import { list as channels } from '#channels/queries.ts'
import { formatDateTimeSeconds } from '#lib/format.ts'
import { all as targets } from '#targets/queries.ts'
import { detailText, type NamesById, objectKind, objectLabel } from '#workspaces/audit-labels.ts'
import { auditLog, members } from '#workspaces/queries.ts'
import { ButtonAnchor } from '#ui/button.tsx'
import { DateInput } from '#ui/date-input.tsx'
import { Field, SelectField, TextField } from '#ui/field.tsx'
import { LoadMore } from '#ui/load-more.tsx'
import { SettingsSection } from '#ui/settings-section.tsx'
import { SectionError } from '#ui/states.tsx'
import { Cell, HeaderCell, Table } from '#ui/table.tsx'

/** Who did what, when, and from where. */
export function AuditLog() {
  const [filter, setFilter] = useState<AuditFilter>({})
  const log = useInfiniteQuery(auditLog(toApi(useDeferredValue(filter))))
  const events = log.data?.pages.flatMap((page) => page.events) ?? []
  const set = (change: AuditFilter) => setFilter((before) => withoutEmpty({ ...before, ...change }))
  return (
    <SettingsSection
      id="audit-log"
      isWide
      title="Audit log"
      description="Who did what, when, and from where. Entries can't be changed."
    >
      <Filters filter={filter} onChange={set} />
      {log.isError && !log.data && <SectionError what="The audit log" onRetry={() => void log.refetch()} />}
      {log.isSuccess && events.length === 0 && <p className="mt-4 text-ink-2">No events match these filters.</p>}
      {events.length > 0 && <Events events={events} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <LoadMore query={log} />
        <ButtonAnchor href={exportUrl(toApi(filter), 'csv')}>Export CSV</ButtonAnchor>
        <ButtonAnchor href={exportUrl(toApi(filter), 'jsonl')}>Export JSON Lines</ButtonAnchor>
      </div>
    </SettingsSection>
  )
}

interface FiltersProps {
  readonly filter: AuditFilter
  readonly onChange: (change: AuditFilter) => void
}

function Filters({ filter, onChange }: FiltersProps) {
  const people = useQuery(members()).data?.members ?? []
  return (
    <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
      <SelectField
        label="User"
        value={filter.actorId ?? ''}
        onChange={({ target }) => onChange({ actorId: target.value })}
      >
        <option value="">Anyone</option>
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Action"
        placeholder="identity.signed_in"
        value={filter.action ?? ''}
        onChange={({ target }) => onChange({ action: target.value })}
      />
      <TextField
        label="Object"
        placeholder="target"
        value={filter.resource ?? ''}
        onChange={({ target }) => onChange({ resource: target.value })}
      />
      <div className="grid grid-cols-2 gap-3">
        <DayField
          label="From"
          value={filter.after}
          onDay={(day) => onChange({ after: day && `${day}T00:00:00.000Z` })}
        />
        <DayField
          label="Until"
          value={filter.before}
          onDay={(day) => onChange({ before: day && `${day}T23:59:59.999Z` })}
        />
      </div>
    </div>
  )
}

interface DayFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onDay: (day: string) => void
}

function DayField({ label, value = '', onDay }: DayFieldProps) {
  return (
    <Field label={label}>{(wiring) => <DateInput {...wiring} defaultValue={value.slice(0, 10)} onDay={onDay} />}</Field>
  )
}

function Events({ events }: { readonly events: readonly AuditEvent[] }) {
  const names = useNames()
  return (
    <div className="mt-4">
      <Table label="Audit log" fit="text">
        <thead>
          <tr>
            <HeaderCell width={160}>Time</HeaderCell>
            <HeaderCell width={96}>User</HeaderCell>
            <HeaderCell>Action</HeaderCell>
            <HeaderCell width={112}>Object</HeaderCell>
            <HeaderCell width={112}>Address</HeaderCell>
          </tr>
        </thead>
        <tbody>
          {events.map((event) => (
            <tr key={event.id}>
              <Cell label="Time">{formatDateTimeSeconds(event.time)}</Cell>
              <Cell label="User" primary title={event.actor.name}>
                {event.actor.name}
              </Cell>
              <Cell label="Action">
                <span className="font-mono text-12">{event.action}</span>
                <Detail detail={event.detail} names={names} />
              </Cell>
              <Cell label="Object" quiet>
                <Resource resource={event.resource} names={names} />
              </Cell>
              <Cell label="Address" quiet>
                <span title={event.userAgent} className="font-mono">
                  {event.ip || '–'}
                </span>
              </Cell>
            </tr>
          ))}
        </tbody>
      </Table>
    </div>
  )
}

/** The browser is the title of the address. */
function Detail({ detail, names }: Pick<AuditEvent, 'detail'> & { readonly names: NamesById }) {
  const text = detailText(detail, names)
  if (!text) return null
  return (
    <span className="block truncate text-12 text-ink-3" title={text}>
      {text}
    </span>
  )
}

const detailPages: Readonly<
  Record<string, '/scope/$id' | '/scans/$id' | '/risks/$id' | '/agents/$id' | '/assets/$id'>
> = {
  target: '/scope/$id',
  scan: '/scans/$id',
  issue: '/risks/$id',
  agent: '/agents/$id',
  host: '/assets/$id',
}

/** The name of a resource if it's known, or its kind, linked to its page if it has one. */
function Resource({ resource: { kind, id }, names }: Pick<AuditEvent, 'resource'> & { readonly names: NamesById }) {
  const to = detailPages[kind]
  const name = names.get(id)
  const label = objectLabel(kind)
  return (
    <>
      {to ? (
        <Link to={to} params={{ id }} title={id} className="inline-link">
          {label}
        </Link>
      ) : (
        <span title={id}>{label}</span>
      )}
      {name && (
        <span className="block truncate text-12 text-ink-3" title={name}>
          {name}
        </span>
      )}
    </>
  )
}

const channelNames = {
  KIND_EMAIL: 'Email',
  KIND_SLACK: 'Slack',
  KIND_WEBHOOK: 'Webhook',
  KIND_DISCORD: 'Discord',
} as const

/** Names of members, targets, agents, and channels. Events of deleted ones show the kind. */
function useNames(): NamesById {
  const people = useQuery(members()).data?.members ?? []
  const scope = useQuery(targets()).data?.targets ?? []
  const runners = useQuery(agents()).data?.agents ?? []
  const integrations = useQuery(channels()).data?.channels ?? []
  const named = [...people, ...scope, ...runners].map(({ id, name }) => [id, name] as const)
  return new Map([...named, ...integrations.map(({ id, kind }) => [id, channelNames[kind]] as const)])
}

/** Objects can be entered by their names in the portal. */
function toApi({ resource, ...filter }: AuditFilter): AuditFilter {
  return { ...filter, ...(resource && { resource: objectKind(resource) }) }
}

function withoutEmpty(filter: AuditFilter): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
}

function exportUrl(filter: AuditFilter, format: 'csv' | 'jsonl'): string {
  return apiFileUrl(`/v1/audit-events/export?${toQueryString({ format, filter: { ...filter } })}`)
}
