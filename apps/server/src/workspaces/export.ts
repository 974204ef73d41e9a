/** All data of a workspace, one JSON object per line. */
import type { Ctx, Within } from '#ctx.ts'
import type { Tables } from '#database/tables.ts'
import { type Kysely, sql } from 'kysely'

/** Columns that exports omit, in every table. */
const secretColumns: ReadonlySet<string> = new Set(['digest', 'secret', 'client_secret', 'webhook_url'])
/** Stored responses to repeated requests, which may contain secrets that are shown once, and sessions. */
const omittedTables = ['idempotency_key', 'provider_session']
const rowsPerRead = 1000

export interface ExportedTable {
  readonly name: string
  /** Without secrets. */
  readonly columns: readonly string[]
  /** Columns of the primary key with their types, in order. */
  readonly key: readonly { readonly name: string; readonly type: string }[]
}

/** Yields batches of lines. No transaction is open while the receiver reads, so later changes may be included. */
export async function* exportWorkspace(within: Within): AsyncGenerator<string> {
  for (const table of await within((ctx) => exportedTables(ctx.tx))) {
    let last: readonly string[] | undefined
    do {
      const after = last
      const rows = await within((ctx) => readRows(ctx, table, after))
      if (rows.length > 0) yield rows.map(({ line }) => lineOf(table.name, line)).join('')
      last = rows.length === rowsPerRead ? rows.at(-1)?.key : undefined
    } while (last)
  }
}

/** A line of an export. @param row JSON */
export function lineOf(table: string, row: string): string {
  return `{"table":${JSON.stringify(table)},"row":${row}}\n`
}

/** The tables with data of a workspace that the current database role can read, `workspace` first. */
export async function exportedTables(db: Kysely<Tables>): Promise<ExportedTable[]> {
  const { rows } = await sql<ExportedTable>`
    select class.relname as name,
           array(select attname::text from pg_attribute
                 where attrelid = class.oid and attnum > 0 and not attisdropped order by attnum) as columns,
           coalesce((
             select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by place)
             from pg_index, unnest(indkey::int2[]) with ordinality as part (attnum, place)
             join pg_attribute on attrelid = class.oid and pg_attribute.attnum = part.attnum
             where indrelid = class.oid and indisprimary), '[]') as key
    from pg_class as class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all(${omittedTables}::text[])
      and (relname = 'workspace' or exists (
        select from pg_attribute where attrelid = class.oid and attname = 'account_id' and not attisdropped))
      and has_table_privilege(class.oid, 'select')
    order by relname <> 'workspace', relname`.execute(db)
  return rows.map((table) => ({ ...table, columns: table.columns.filter((column) => !secretColumns.has(column)) }))
}

async function readRows(ctx: Ctx, { name, columns, key }: ExportedTable, after: readonly string[] | undefined) {
  const keyColumns = sql.join(key.map((part) => sql.ref(part.name)))
  const keyTexts = sql.join(key.map((part) => sql`${sql.ref(part.name)}::text`))
  const start = sql.join((after ?? []).map((value, index) => sql`${value}::${sql.raw(key[index]?.type ?? 'text')}`))
  // The key may be a secret, so it is selected next to the row.
  const { rows } = await sql<{ line: string; key: string[] }>`
    select (select row_to_json(shown)::text from (
              select ${sql.join(columns.map((column) => sql.ref(`page.${column}`)))}) as shown) as line,
           array[${keyTexts}] as key
    from (
      select * from ${sql.table(name)}
      where ${sql.ref(name === 'workspace' ? 'id' : 'account_id')} = ${ctx.workspace}::uuid
        and ${after ? sql`(${keyColumns}) > (${start})` : sql`true`}
      order by ${keyColumns}
      limit ${rowsPerRead}
    ) as page
    order by ${keyColumns}`.execute(ctx.tx)
  return rows
}
