import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { createLogger, formatForTerminal } from './log.ts'

/** Collects log output. */
function memoryOutput() {
  const lines: string[] = []
  return { write: (text: string) => lines.push(text), text: () => lines.join('') }
}

it.each([
  [{ authorization: 'hunter2' }],
  [{ req: { headers: { cookie: 'hunter2' } } }],
  [{ res: { headers: { 'set-cookie': ['hunter2'] } } }],
  [{ body: { password: 'hunter2' } }],
])('SEC-H3 redacts secrets: %j', (fields) => {
  const output = memoryOutput()
  createLogger({ level: 'info', output }).info(fields, 'request completed')
  expect(output.text()).toContain('request completed')
  expect(output.text()).not.toContain('hunter2')
})

it('formats a line for terminals, with the stack of an error below it', () => {
  const output = memoryOutput()
  const log = createLogger({ level: 'info', output: formatForTerminal(output) })
  log.info({ scanId: '1', hosts: 3 }, 'scan completed')
  log.error({ err: new Error('the disk is full') }, 'mail failed')
  const plain = stripVTControlCharacters(output.text())
  expect(plain).toMatch(/^\d\d:\d\d:\d\d info  scan completed scanId=1 hosts=3\n/)
  expect(plain).toMatch(/error mail failed\n  Error: the disk is full\n\s+at /)
})

it('omits entries below its level', () => {
  const output = memoryOutput()
  createLogger({ level: 'warn', output }).info('started')
  expect(output.text()).toBe('')
})
