/** Exports the software of a workspace as CSV or as a software bill of materials. */
import type { Product, ProductFilter } from '@glacis/contract/product'
import { csvLine } from '#csv.ts'
import type { Ctx } from '#ctx.ts'
import { listProducts } from '#inventory/products.ts'

export interface ProductExportRequest {
  readonly format: 'csv' | 'cyclonedx'
  readonly filter?: ProductFilter | undefined
}
/** Runs work in a transaction of the workspace. */
type InAccount = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>

const columns: Readonly<Record<string, (product: Product) => string | number>> = {
  name: ({ name }) => name,
  version: ({ version }) => version,
  vendor: ({ wfn }) => wfn.vendor,
  product: ({ wfn }) => wfn.product,
  cpe: ({ wfn }) => wfn.text,
  hosts: ({ hostCount = 0 }) => hostCount,
  critical: ({ issueCount }) => issueCount?.critical ?? 0,
  high: ({ issueCount }) => issueCount?.high ?? 0,
  medium: ({ issueCount }) => issueCount?.medium ?? 0,
  low: ({ issueCount }) => issueCount?.low ?? 0,
  support: ({ endOfLife }) => endOfLife?.state.replace('STATE_', '').toLowerCase() ?? '',
  supportEnds: ({ endOfLife }) => endOfLife?.date ?? '',
  latestVersion: ({ endOfLife }) => endOfLife?.latestVersion ?? '',
  notifyFrom: ({ minNotificationSeverity }) => minNotificationSeverity,
  watched: ({ watched }) => (watched ? 'true' : 'false'),
}

/**
 * Streams all products matching a filter as CSV (RFC 4180) or as a CycloneDX 1.6 document. Each
 * page is read in its own transaction.
 */
export async function* exportProducts(
  run: InAccount,
  { format, filter }: ProductExportRequest,
  at: Date,
): AsyncGenerator<string> {
  const isCsv = format === 'csv'
  yield isCsv ? csvLine(Object.keys(columns)) : cycloneDxHead(at)
  let pageToken = ''
  let isFirst = true
  do {
    const page = await run((ctx) =>
      listProducts(ctx, { pageSize: 200, pageToken, orderBy: 'ORDER_BY_NAME', ...(filter && { filter }) }),
    )
    for (const product of page.products) {
      if (isCsv) yield csvLine(Object.values(columns).map((cell) => cell(product)))
      else yield `${isFirst ? '' : ','}\n${JSON.stringify(component(product))}`
      isFirst = false
    }
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  if (!isCsv) yield ']}\n'
}

/** The part of the document before the list of components (cyclonedx.org/docs/1.6/json). */
function cycloneDxHead(at: Date): string {
  const head = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      tools: { components: [{ type: 'application', name: 'Glacis' }] },
    },
  }
  return `${JSON.stringify(head).slice(0, -1)},"components":[`
}

const types: Readonly<Record<string, string>> = { a: 'application', o: 'operating-system', h: 'device' }

function component({ id, name, version, wfn }: Product) {
  return {
    type: types[wfn.part] ?? 'application',
    'bom-ref': id,
    publisher: wfn.vendor,
    name,
    ...(version !== '' && { version }),
    cpe: wfn.text,
  }
}
