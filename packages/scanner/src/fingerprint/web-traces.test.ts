import { expect, it } from 'vitest'
import type { HttpResponse } from '#net/http-message.ts'
import { bodyTraces } from './web-traces.ts'

it('decodes the JSON in a meta tag', () => {
  const content = Buffer.from('{"release":"shop@2.8.4"}').toString('base64')
  const page = `<html><head><meta name="shop:config" content="${content}"><meta name="rest" content="cmVzdA=="></head></html>`
  const response: HttpResponse = {
    kind: 'response',
    status: 200,
    statusText: 'OK',
    headers: [['content-type', 'text/html']],
    body: Buffer.from(page),
    truncated: false,
    durationMs: 1,
    request: '',
  }
  const traces = bodyTraces(response)
  expect(traces.filter(({ field }) => field === 'html.meta_json')).toEqual([
    { field: 'html.meta_json', text: '{"release":"shop@2.8.4"}' },
  ])
})
