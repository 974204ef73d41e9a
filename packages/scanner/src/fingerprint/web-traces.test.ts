import { expect, it } from 'vitest'
import type { HttpResponse } from '#net/http-message.ts'
import { bodyTraces, headerTraces } from './web-traces.ts'

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

it.each([
  ['Apache/2.4.6 (CentOS) PHP/5.4.16', ['Apache/2.4.6', 'PHP/5.4.16']],
  ['Apache Tomcat/4.1.31 (HTTP/1.1 Connector)', ['Tomcat/4.1.31']],
  ['Apache TomEE', ['TomEE']],
])('splits the Server header %j', (value, tokens) => {
  const response: HttpResponse = {
    kind: 'response',
    status: 200,
    statusText: 'OK',
    headers: [['server', value]],
    body: Buffer.alloc(0),
    truncated: false,
    durationMs: 1,
    request: '',
  }
  const traces = headerTraces(response)
  expect(traces.filter(({ field }) => field === 'http_header.server.token').map(({ text }) => text)).toEqual(tokens)
})
