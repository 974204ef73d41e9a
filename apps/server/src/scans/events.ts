import type { ParsedInputOf, ResultOf } from '@glacis/contract/endpoint'
import type * as contract from '@glacis/contract/scan'
import type { ScanEvent } from '@glacis/contract/scan'
import type { Ctx } from '#ctx.ts'
import { cutPage, readPage } from '#database/page.ts'
import { getScan } from '#scans/list.ts'

type Level = ScanEvent['level']
/** From least to most severe. */
const levels: readonly Level[] = ['LEVEL_INFO', 'LEVEL_WARN', 'LEVEL_ERROR']

/** The log of a scan. `level` is the minimum level. @throws ApiError `not_found` */
export async function listScanEvents(
  ctx: Ctx,
  input: ParsedInputOf<typeof contract.listScanEvents>,
): Promise<ResultOf<typeof contract.listScanEvents>> {
  await getScan(ctx, input)
  const { filter = {} } = input
  const page = readPage(input, ['scan events', input.id, filter])
  let query = ctx.tx
    .selectFrom('scan_event')
    .select(['id', 'at', 'level', 'message'])
    .where('account_id', '=', ctx.workspace)
    .where('scan_id', '=', input.id)
    .orderBy('id')
    .limit(page.size + 1)
  if (page.after) query = query.where('id', '>', String(page.after[0]))
  if (filter.level) query = query.where('level', 'in', levels.slice(levels.indexOf(filter.level)))
  if (filter.query) query = query.where('message', 'ilike', `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`)
  const { rows, nextPageToken } = cutPage(page, await query.execute(), (row) => [row.id])
  const events = rows.map((row) => ({
    id: row.id,
    time: row.at.toISOString(),
    level: levels.find((item) => item === row.level) ?? 'LEVEL_INFO',
    message: row.message,
  }))
  return { events, nextPageToken }
}
