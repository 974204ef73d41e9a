/** The audit log as a file, for archives and log analysis. */
import type { AuditEvent, AuditExportQuery } from '@glacis/contract/access'
import { auditEventsAfter } from '#audit.ts'
import { csvLine } from '#csv.ts'
import type { Within } from '#ctx.ts'

const columns = [
  'time',
  'actor',
  'actorKind',
  'actorId',
  'action',
  'resourceKind',
  'resourceId',
  'ip',
  'userAgent',
  'detail',
]
const rowsPerRead = 1000

/** Yields the events that match, oldest first. No transaction is open while the receiver reads. */
export async function* exportAuditEvents(within: Within, { format, filter }: AuditExportQuery): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns)
  let last: Pick<AuditEvent, 'time' | 'id'> | undefined
  do {
    const from = last
    const events = await within((ctx) => auditEventsAfter(ctx, filter, from, rowsPerRead))
    yield events.map(format === 'csv' ? toCsv : (event) => `${JSON.stringify(event)}\n`).join('')
    last = events.length === rowsPerRead ? events.at(-1) : undefined
  } while (last)
}

function toCsv({ time, actor, action, resource, ip, userAgent, detail }: AuditEvent): string {
  const cells = [time, actor.name, actor.kind, actor.id ?? '', action, resource.kind, resource.id, ip, userAgent]
  return csvLine([...cells, JSON.stringify(detail)])
}
