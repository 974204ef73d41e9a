import { expect, it } from 'vitest'
import { responseTraces } from '#fingerprint/responses.ts'

it('reads the server and the title of a response that is not valid HTTP', () => {
  const response = 'HTTP/1.1 200 \r\nServer: acme/2.1\r\n\r\n<html><title>Acme -\nUnable to load</title></html>'
  expect(responseTraces(response)).toEqual([
    { field: 'http_header.server', text: 'acme/2.1' },
    { field: 'html_title', text: 'Acme - Unable to load' },
  ])
  expect(responseTraces('HTTP/1.1 200 \r\nContent-Type: text/plain\r\n\r\nOK')).toEqual([])
})
