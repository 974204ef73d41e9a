/** The calls whose answer is no JSON: files, and the stream of events. They stand in no contract of ours. */
import { Notice } from '@glacis/contract/channel'
import { ProductExportQuery } from '@glacis/contract/product'
import { ReportQuery } from '@glacis/contract/scan'
import { ExportQuery } from '@glacis/contract/triage'
import { refusals } from '#http/openapi-refusals.ts'
import { isArray, type Json, propertiesOf, schemaOf, wordsOf } from '#http/openapi-schema.ts'
import type { z } from 'zod'

/** All of them; none but the report has an id in its path. */
const reading = { method: 'GET', path: '/v1/' } as const

/** By path. */
export function fileCalls(): Record<string, Record<string, Json>> {
  return {
    '/v1/scans/{id}/report': { get: report() },
    '/v1/issues/export': {
      get: fileOf(ExportQuery, {
        operationId: 'getIssuesExport',
        tags: ['issues'],
        summary: 'Every issue of a filter as a file, without a limit. Rows come in the order of their ids.',
        content: { 'text/csv': {}, 'application/json': {} },
      }),
    },
    '/v1/products/export': {
      get: fileOf(ProductExportQuery, {
        operationId: 'getProductsExport',
        tags: ['products'],
        summary: 'Every product of a filter as a file: a table, or a bill of materials in CycloneDX 1.6.',
        content: { 'text/csv': {}, 'application/vnd.cyclonedx+json': {} },
      }),
    },
    '/v1/events': { get: stream() },
  }
}

function stream(): Json {
  return {
    operationId: 'getEvents',
    tags: ['events'],
    summary: 'What happens in the account as server-sent events, from now on or after the event that is named.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'The id of the last event that was seen; browsers send it when they connect again.',
        schema: { type: 'string', pattern: String.raw`^\d{1,19}\.\d{1,18}$` },
      },
    ],
    responses: {
      '200': {
        description: 'The stream. Each event has an id, its kind as its name, and its data as JSON.',
        content: { 'text/event-stream': { schema: schemaOf(Notice, 'output') } },
      },
      ...refusals(reading),
    },
  }
}

function report(): Json {
  const query = propertiesOf(schemaOf(ReportQuery, 'input')) ?? {}
  return {
    operationId: 'getScansByIdReport',
    tags: ['scans'],
    summary: 'The report of a scan as a file.',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: wordsOf('id'),
        schema: { type: 'string', format: 'uuid' },
      },
      ...Object.entries(query).map(([name, schema]) => inQuery(name, schema)),
    ],
    responses: {
      '200': {
        description: 'The file',
        content: { 'application/pdf': {}, 'application/json': {}, 'application/sarif+json': {} },
      },
      '202': {
        description:
          'It is being built; ask again after Retry-After seconds. `Prefer: respond-async` asks not to wait.',
        content: {
          'application/json': {
            schema: { type: 'object', properties: { state: { const: 'STATE_BUILDING' } }, required: ['state'] },
            example: { state: 'STATE_BUILDING' },
          },
        },
      },
      ...refusals({ ...reading, path: '/v1/scans/:id/report' }),
    },
  }
}

/** A call that answers with a file; a filter's members are dotted. */
function fileOf(input: z.ZodType, { content, ...words }: { readonly content: Json } & Json): Json {
  const query = propertiesOf(schemaOf(input, 'input')) ?? {}
  const { filter, ...own } = query
  const members =
    typeof filter === 'object' && filter !== null && 'properties' in filter ? Object(filter.properties) : {}
  const dotted = Object.entries(members).map(([name, schema]) => [`filter.${name}`, schema] as const)
  return {
    ...words,
    parameters: [...Object.entries(own), ...dotted].map(([name, schema]) => inQuery(name, schema)),
    responses: {
      '200': { description: 'The file', content },
      ...refusals(reading),
    },
  }
}

function inQuery(name: string, schema: unknown): Json {
  const isList = isArray(schema) && { style: 'form', explode: true }
  return { name, in: 'query', required: false, description: wordsOf(name), schema, ...isList }
}
