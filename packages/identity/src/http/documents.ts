/** Stored errors and the identity schema. */
import { randomUUID } from 'node:crypto'
import { WireError, errorObject, notFound } from '#http/error.ts'
import { type Answer, csrfOf, json } from '#http/exchange.ts'
import type { Exchange, Service } from '#service.ts'
import { pageHeaders } from '#http/sessions.ts'
import { isUuid } from '#flow/flow.ts'
import { schemaDocument, schemaId, schemaSlug } from '#schema.ts'

/** Keeps an error for the page to which a browser is sent. */
export async function storeError(service: Service, error: WireError, requestId?: string): Promise<string> {
  const id = randomUUID()
  await service.db
    .insertInto('identity.flow_error')
    .values({ id, error: JSON.stringify(errorObject(error, requestId)), created_at: service.now() })
    .execute()
  return id
}

/** Shows a stored error; `stub:500` is one for the tests of user interfaces. */
export async function showError(exchange: Exchange): Promise<Answer> {
  const { service, query } = exchange
  csrfOf(exchange)
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

/** All schemas: there is one. */
export async function listSchemas(exchange: Exchange): Promise<Answer> {
  csrfOf(exchange)
  const headers = pageHeaders('/schemas', 1, { offset: 0, size: 250 })
  return json(200, [{ id: schemaId, schema: schemaDocument }], headers)
}

/** The schema by its id, plain or as in an address. */
export async function showSchema(_exchange: Exchange, id: string): Promise<Answer> {
  if (id === schemaId || id === schemaSlug) return json(200, schemaDocument)
  throw new WireError(404, { reason: `Identity schema \`${id}\` could not be found.` })
}
