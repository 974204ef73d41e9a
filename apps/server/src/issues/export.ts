/** Exports issues of any number: read page by page, each in its own transaction, and streamed. */
import type { IssueFilter } from '@glacis/contract/issue'
import type { IssueColumn } from '@glacis/contract/triage'
import type { Ctx } from '#ctx.ts'
import { matching, ofHost } from '#issues/filter.ts'
import { type RawBuilder, sql } from 'kysely'

export interface ExportRequest {
  readonly format: 'csv' | 'json'
  /** Column order of the file; one row per host if a column is about hosts. */
  readonly columns?: readonly IssueColumn[] | undefined
  readonly filter?: IssueFilter | undefined
}
/** Runs work in a transaction of the workspace. */
export type InWorkspace = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>

/** The formatted rows of a page, and the keys of its last row; all null after the last page. */
interface Piece {
  readonly text: string | null
  readonly rows: number
  readonly keyset: string | null
  readonly row_id: string | null
}

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
 * Streams all issues matching a filter as CSV (RFC 4180) or as JSON `{"issues": […]}`. The database
 * formats each page, because a million row objects would outpace the garbage collector. Rows are
 * sorted by ID, so concurrent changes neither duplicate nor skip rows. No connection is held while
 * a slow client reads.
 */
export async function* exportIssues(run: InWorkspace, request: ExportRequest): AsyncGenerator<string> {
  const columns = request.columns?.length ? [...new Set(request.columns)] : columnsDefault
  const rowsOf = columns.some(isOfHost) ? hostRows : issueRows
  const isCsv = request.format === 'csv'
  yield isCsv ? `${columns.join(',')}${lineEnd}` : '{"issues":['
  let after: Piece | undefined
  for (;;) {
    const piece = await run(async (ctx) => {
      const rows = rowsOf(ctx, request.filter ?? {}, columns, after)
      const { rows: pieces } = await (isCsv ? csvOf(rows, columns) : jsonOf(rows, columns)).execute(ctx.tx)
      return pieces[0]
    })
    if (piece?.text) yield isCsv ? piece.text : `${after ? ',' : ''}\n${piece.text}`
    if (!piece || piece.rows < rowsPerPage) break
    after = piece
  }
  if (!isCsv) yield ']}\n'
}

const iso = (column: RawBuilder<unknown>) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const expressions: Readonly<Record<IssueColumn, RawBuilder<unknown>>> = {
  id: sql`issue.id`,
  name: sql`threat.name`,
  cve: sql`case when threat.key like 'CVE-%' then threat.key else '' end`,
  severity: sql`lower(substr(issue.category, 10))`,
  score: sql`trim_scale(issue.score)`,
  cvss: sql`threat.cvss`,
  epss: sql`threat.epss_score::numeric`,
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
  assignee: sql`(select name from member where member.account_id = issue.account_id and identity_id = issue.assignee_id)`,
  dueTime: iso(sql`issue.due_at`),
  tags: sql`(
    select string_agg(tag.name, '; ' order by tag.name)
    from issue_tag
    join tag on tag.account_id = issue_tag.account_id and tag.id = issue_tag.tag_id
    where issue_tag.account_id = issue.account_id and issue_tag.issue_id = issue.id)`,
  solution: sql`threat.solution`,
  hostAddress: sql`host.address`,
  hostName: sql`host.name`,
  hostPort: sql`substring(occurrence.location from '^\\d{1,5}(?:/(?:tcp|udp)(?=$| ))?')`,
  hostPath: sql`substring(occurrence.location from '^\\d{1,5}(?!/(?:tcp|udp)(?:$| ))(?: [^\\s/]+(?=/))?(/\\S*)')`,
  hostLocation: sql`occurrence.location`,
  hostStatus: sql`lower(substr(occurrence.status, 8))`,
  hostFirstSeenTime: iso(sql`occurrence.first_seen_at`),
  hostLastSeenTime: iso(sql`occurrence.last_seen_at`),
  targetName: sql`target.name`,
}

/** Columns with free text, which needs escaping; the others can't contain special characters. */
const freeTextColumns: ReadonlySet<IssueColumn> = new Set([
  'name',
  'cve',
  'cvss',
  'assignee',
  'tags',
  'solution',
  'hostAddress',
  'hostName',
  'hostPath',
  'hostLocation',
  'targetName',
])

function isOfHost(column: IssueColumn): boolean {
  return column.startsWith('host') || column.startsWith('target')
}

function selected(columns: readonly IssueColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map((column) => sql`${expressions[column]} as ${sql.ref(column)}`))
}

function issueRows(ctx: Ctx, filter: IssueFilter, columns: readonly IssueColumn[], after?: Piece): RawBuilder<unknown> {
  const beyond = after ? sql`and issue.id > ${after.keyset}::uuid` : sql``
  return sql`
    select issue.id as keyset, issue.id as row_id, ${selected(columns)}
    from issue
    join threat on threat.id = issue.threat_id
    where ${matching(ctx, filter)} ${beyond}
    order by issue.id
    limit ${rowsPerPage}`
}

/** One row per occurrence: host and location. Restricted to a host or target if the filter is. */
function hostRows(ctx: Ctx, filter: IssueFilter, columns: readonly IssueColumn[], after?: Piece): RawBuilder<unknown> {
  const parts = [sql`occurrence.account_id = ${ctx.workspace}`]
  if (filter.affectedHostId) parts.push(ofHost(ctx, filter.affectedHostId))
  if (filter.affectedTargetId) parts.push(sql`occurrence.target_id = ${filter.affectedTargetId}`)
  if (after) parts.push(sql`(occurrence.issue_id, occurrence.id) > (${after.keyset}::uuid, ${after.row_id}::uuid)`)
  return sql`
    select occurrence.issue_id as keyset, occurrence.id as row_id, ${selected(columns)}
    from occurrence
    join issue on issue.account_id = occurrence.account_id and issue.id = occurrence.issue_id
    join threat on threat.id = issue.threat_id
    join host on host.account_id = occurrence.account_id and host.id = occurrence.host_id
    join target on target.account_id = occurrence.account_id and target.id = occurrence.target_id
    where ${matching(ctx, filter)} and ${sql.join(parts, sql` and `)}
    order by occurrence.issue_id, occurrence.id
    limit ${rowsPerPage}`
}

function csvOf(rows: RawBuilder<unknown>, columns: readonly IssueColumn[]): RawBuilder<Piece> {
  const line = sql.join(columns.map(csvCell), sql` || ',' || `)
  return pieceOf(rows, sql`string_agg(${line} || ${sql.lit(lineEnd)}, '' order by keyset, row_id)`)
}

function jsonOf(rows: RawBuilder<unknown>, columns: readonly IssueColumn[]): RawBuilder<Piece> {
  const members = sql.join(columns.map((column) => sql.ref(column)))
  const line = sql`(select row_to_json(shown) from (select ${members}) as shown)::text`
  return pieceOf(rows, sql`string_agg(${line}, E',\\n' order by keyset, row_id)`)
}

function pieceOf(rows: RawBuilder<unknown>, text: RawBuilder<unknown>): RawBuilder<Piece> {
  const last = (key: string) =>
    sql`(array_agg(${sql.ref(key)} order by keyset, row_id))[count(*)::int] as ${sql.ref(key)}`
  return sql<Piece>`
    select ${text} as text, count(*)::int as rows, ${last('keyset')}, ${last('row_id')}
    from (${rows}) as page`
}

const lineEnd = '\r\n'

/**
 * Formats a cell. Prefixes cells that start like a formula with an apostrophe, because spreadsheets
 * would execute them (OWASP, CSV injection).
 */
function csvCell(column: IssueColumn): RawBuilder<unknown> {
  const value = sql.ref(column)
  if (!freeTextColumns.has(column)) return sql`coalesce(${value}::text, '')`
  const guarded = sql`regexp_replace(${value}, '^([=+@\\t\\r-])', '''\\1')`
  return sql`coalesce(
    case when ${value} ~ '[",\\r\\n]' then '"' || replace(${guarded}, '"', '""') || '"' else ${guarded} end, '')`
}
