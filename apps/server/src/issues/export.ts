/** Issues as a file of any length: read in pages, each in a transaction of its own, written as it is read. */
import type { IssueFilter } from '@glacis/contract/issue'
import type { IssueColumn } from '@glacis/contract/triage'
import type { Ctx } from '#ctx.ts'
import { matching } from '#issues/filter.ts'
import { type RawBuilder, sql } from 'kysely'

export interface ExportOrder {
  readonly format: 'csv' | 'json'
  /** In the order of the file; a row per host where one of them is about hosts. */
  readonly columns?: readonly IssueColumn[] | undefined
  readonly filter?: IssueFilter | undefined
}
/** Runs something in a transaction of the account. */
export type InAccount = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>

type Value = string | number | boolean | null
type Row = Readonly<Record<string, Value>>

const rowsPerPage = 1000
const columnsDefault: readonly IssueColumn[] = [
  'id',
  'name',
  'cve',
  'severity',
  'score',
  'epss',
  'kev',
  'priority',
  'status',
  'verification',
  'affectedHosts',
  'firstSeenTime',
  'lastSeenTime',
]

/**
 * Every issue of a filter, as pieces of a CSV file (RFC 4180) or of the JSON text `{"issues": […]}`.
 * Memory holds one page. Rows come in the order of their ids, so that what changes meanwhile makes
 * none appear twice or go missing; nobody holds a connection while a slow reader reads.
 */
export async function* exportIssues(run: InAccount, order: ExportOrder): AsyncGenerator<string> {
  const columns = order.columns?.length ? [...new Set(order.columns)] : columnsDefault
  const read = columns.some(isOfHost) ? hostRows : issueRows
  const write = order.format === 'csv' ? csvLine : jsonPiece
  yield order.format === 'csv' ? csvLine(Object.fromEntries(columns.map((one) => [one, one])), columns) : '{"issues":['
  let after: Row | undefined
  for (;;) {
    const rows: readonly Row[] = await run((ctx) => read(ctx, order.filter ?? {}, columns, after))
    const text = rows.map((row, index) => write(row, columns, after === undefined && index === 0)).join('')
    if (text) yield text
    after = rows.at(-1)
    if (rows.length < rowsPerPage) break
  }
  if (order.format === 'json') yield ']}\n'
}

const iso = (column: RawBuilder<unknown>) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const expressions: Readonly<Record<IssueColumn, RawBuilder<unknown>>> = {
  id: sql`issue.id`,
  name: sql`threat.name`,
  cve: sql`case when threat.key like 'CVE-%' then threat.key else '' end`,
  severity: sql`lower(substr(issue.category, 10))`,
  score: sql`issue.score`,
  cvss: sql`threat.cvss`,
  epss: sql`threat.epss_score`,
  kev: sql`threat.known_exploited_at is not null`,
  priority: sql`issue.priority`,
  status: sql`lower(substr(issue.status, 8))`,
  verification: sql`case issue.verification when 'VERIFICATION_VERIFIED' then 'verified' else 'potential' end`,
  quality: sql`issue.quality`,
  affectedHosts: sql`issue.host_count`,
  firstSeenTime: iso(sql`issue.first_seen_at`),
  lastSeenTime: iso(sql`issue.last_seen_at`),
  ignoreReason: sql`replace(lower(substr(issue.ignore_reason, 8)), '_', ' ')`,
  ignoreUntilTime: iso(sql`issue.ignore_until`),
  assignee: sql`(select name from account where account.id = issue.account_id and identity_id = issue.assignee_id)`,
  dueTime: iso(sql`issue.due_at`),
  tags: sql`(
    select string_agg(tag.name, '; ' order by tag.name)
    from issue_tag
    join tag on tag.account_id = issue_tag.account_id and tag.id = issue_tag.tag_id
    where issue_tag.account_id = issue.account_id and issue_tag.issue_id = issue.id)`,
  solution: sql`threat.solution`,
  hostAddress: sql`host.address`,
  hostName: sql`host.name`,
  hostLocation: sql`occurrence.location`,
  hostStatus: sql`lower(substr(occurrence.status, 8))`,
  hostFirstSeenTime: iso(sql`occurrence.first_seen_at`),
  hostLastSeenTime: iso(sql`occurrence.last_seen_at`),
  targetName: sql`target.name`,
}

function isOfHost(column: IssueColumn): boolean {
  return column.startsWith('host') || column.startsWith('target')
}

function selected(columns: readonly IssueColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`${expressions[column]} as ${sql.ref(column)}`))
}

async function issueRows(ctx: Ctx, filter: IssueFilter, columns: readonly IssueColumn[], after?: Row) {
  const beyond = after ? sql`and issue.id > ${after['keyset']}::uuid` : sql``
  const { rows } = await sql<Row>`
    select issue.id as keyset, ${selected(columns)}
    from issue
    join threat on threat.id = issue.threat_id
    where ${matching(ctx, filter)} ${beyond}
    order by issue.id
    limit ${rowsPerPage}`.execute(ctx.tx)
  return rows
}

/** A row per occurrence: the host, and where on it. Inside one host or target, of that alone. */
async function hostRows(ctx: Ctx, filter: IssueFilter, columns: readonly IssueColumn[], after?: Row) {
  const parts = [sql`occurrence.account_id = ${ctx.account}`]
  if (filter.affectedHostId) parts.push(sql`occurrence.host_id = ${filter.affectedHostId}`)
  if (filter.affectedTargetId) parts.push(sql`occurrence.target_id = ${filter.affectedTargetId}`)
  if (after) parts.push(sql`(occurrence.issue_id, occurrence.id) > (${after['keyset']}::uuid, ${after['place']}::uuid)`)
  const { rows } = await sql<Row>`
    select occurrence.issue_id as keyset, occurrence.id as place, ${selected(columns)}
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    join threat on threat.id = issue.threat_id
    join host on host.account_id = occurrence.account_id and host.id = occurrence.host_id
    join target on target.account_id = occurrence.account_id and target.id = occurrence.target_id
    where ${matching(ctx, filter)} and ${sql.join(parts, sql` and `)}
    order by occurrence.issue_id, occurrence.id
    limit ${rowsPerPage}`.execute(ctx.tx)
  return rows
}

function csvLine(row: Row, columns: readonly string[]): string {
  return `${columns.map((column) => csvCell(row[column] ?? '')).join(',')}\r\n`
}

/**
 * One cell. Spreadsheets run what begins like a formula, whoever wrote it: an apostrophe before it
 * makes it text (OWASP, CSV injection).
 */
function csvCell(value: Exclude<Value, null>): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function jsonPiece(row: Row, columns: readonly string[], isFirst: boolean): string {
  const members = Object.fromEntries(columns.map((column) => [column, row[column] ?? null]))
  return `${isFirst ? '' : ','}\n${JSON.stringify(members)}`
}
