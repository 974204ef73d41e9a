/** Calls that respond with a file or a stream. They are served outside the contract, whose results are JSON. */
import type { Endpoint } from '@glacis/contract/endpoint'
import { AuditExportQuery } from '@glacis/contract/access'
import { Id } from '@glacis/contract/primitives'
import { ProductExportQuery } from '@glacis/contract/product'
import { ReportQuery } from '@glacis/contract/scan'
import { ExportQuery } from '@glacis/contract/triage'
import { reference } from '#http/openapi-schemas.ts'
import { z } from 'zod/mini'

type FileCall = Pick<Endpoint, 'path' | 'input' | 'summary' | 'description'> & {
  readonly method: 'GET'
  /** Parameters outside path and query. */
  readonly headers?: readonly object[]
  readonly responses: object
}

const file = (...types: readonly string[]) => ({
  '200': { description: 'The file', content: Object.fromEntries(types.map((type) => [type, {}])) },
})

/** By operation ID. */
export const fileCalls: ReadonlyMap<string, FileCall> = new Map(
  Object.entries({
    getScanReport: {
      method: 'GET',
      path: '/v1/scans/:id/report',
      summary: 'Download a scan report',
      input: z.object({ id: Id, ...ReportQuery.shape }),
      responses: {
        ...file('application/pdf', 'application/json', 'application/sarif+json'),
        '202': {
          description:
            'The report is being built; try again after `Retry-After` seconds. Send `Prefer: respond-async` to skip waiting.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { state: { type: 'string', const: 'STATE_BUILDING' } },
                required: ['state'],
              },
            },
          },
        },
      },
    },
    exportIssues: {
      method: 'GET',
      path: '/v1/issues/export',
      summary: 'Export issues',
      description: 'All issues that match the filter, without a limit, ordered by ID.',
      input: z.object(ExportQuery.shape),
      responses: file('text/csv', 'application/json'),
    },
    exportProducts: {
      method: 'GET',
      path: '/v1/products/export',
      summary: 'Export products',
      description: 'All products that match the filter, as CSV or as a CycloneDX 1.6 bill of materials.',
      input: z.object(ProductExportQuery.shape),
      responses: file('text/csv', 'application/vnd.cyclonedx+json'),
    },
    exportAuditEvents: {
      method: 'GET',
      path: '/v1/audit-events/export',
      summary: 'Export audit events',
      description: 'All events that match the filter, oldest first, as CSV or JSON Lines.',
      input: z.object(AuditExportQuery.shape),
      responses: file('text/csv', 'application/jsonl'),
    },
    exportWorkspace: {
      method: 'GET',
      path: '/v1/workspace/export',
      summary: 'Export the workspace',
      description:
        'All workspace data except secrets, for example to keep a copy before deleting the workspace. Each line of the compressed file is a JSON object with the name of a table and a row.',
      input: z.object({}),
      responses: file('application/gzip'),
    },
    streamEvents: {
      method: 'GET',
      path: '/v1/events',
      summary: 'Stream events',
      description:
        'Server-sent events of the workspace, from now on. Send `Last-Event-ID` to resume after an event, as browsers do when they reconnect.',
      input: z.object({}),
      headers: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description: 'ID of the last event received.',
          schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
        },
      ],
      responses: {
        '200': {
          description: 'Each event has an ID, its kind as the event name, and a notice as JSON data.',
          content: { 'text/event-stream': { schema: reference('Notice') } },
        },
      },
    },
  } satisfies Record<string, FileCall>),
)
