/** Endpoints for stored errors and identity schemas. */
import { randomUUID } from 'node:crypto'
import { WireError, errorObject, notFound } from '#http/error.ts'
import { type HttpResponse, ensureCsrfToken, json } from '#http/exchange.ts'
import type { Exchange, Service } from '#service.ts'
import { pageHeaders } from '#http/sessions.ts'
import { isUuid } from '#flow/flow.ts'
import { schemaDocument, schemaId, schemaSlug } from '#schema.ts'

/** Stores an error for the portal's error page. */
export async function storeError(service: Service, error: WireError, requestId?: string): Promise<string> {
  const id = randomUUID()
  await service.db
    .insertInto('identity.flow_error')
    .values({ id, error: JSON.stringify(errorObject(error, requestId)), created_at: service.now() })
    .execute()
  return id
}

/** Returns a stored error. `stub:500` returns a sample error for UI tests. */
export async function getError(exchange: Exchange): Promise<HttpResponse> {
  const { service, query } = exchange
  ensureCsrfToken(exchange)
  const id = query.get('id') ?? query.get('error')
  if (id === 'stub:500') {
    const error = errorObject(new WireError(500, { reason: 'This is a stub error.' }))
    const never = '0001-01-01T00:00:00Z'
    return json(200, { id: randomUUID(), error, created_at: never, updated_at: never })
  }
  if (!isUuid(id)) throw notFound()
  const row = await service.db.selectFrom('identity.flow_error').selectAll().where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound()
  const at = row.created_at.toISOString()
  return json(200, { id: row.id, error: row.error, created_at: at, updated_at: at })
}

/** Lists the only schema. */
export async function listSchemas(exchange: Exchange): Promise<HttpResponse> {
  ensureCsrfToken(exchange)
  const headers = pageHeaders('/schemas', 1, { offset: 0, size: 250 })
  return json(200, [{ id: schemaId, schema: schemaDocument }], headers)
}

/** Returns the schema by its ID, in plain or base64url form. */
export async function getSchema(_exchange: Exchange, id: string): Promise<HttpResponse> {
  if (id === schemaId || id === schemaSlug) return json(200, schemaDocument)
  throw new WireError(404, { reason: `Identity schema \`${id}\` could not be found.` })
}
