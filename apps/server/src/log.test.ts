import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { createLogger, forPeople } from './log.ts'

/** What a log with this output wrote, as one text. */
function memory() {
  const lines: string[] = []
  return { write: (text: string) => lines.push(text), text: () => lines.join('') }
}

it.each([
  [{ authorization: 'hunter2' }],
  [{ req: { headers: { cookie: 'hunter2' } } }],
  [{ res: { headers: { 'set-cookie': ['hunter2'] } } }],
  [{ body: { password: 'hunter2' } }],
])('never writes a secret: %j', (fields) => {
  const output = memory()
  createLogger({ level: 'info', output }).info(fields, 'request completed')
  expect(output.text()).toContain('request completed')
  expect(output.text()).not.toContain('hunter2')
})

it('writes one short line for people, with the stack of an error below', () => {
  const output = memory()
  const log = createLogger({ level: 'info', output: forPeople(output) })
  log.info({ scanId: '1', hosts: 3 }, 'scan completed')
  log.error({ err: new Error('the disk is full') }, 'mail failed')
  const plain = stripVTControlCharacters(output.text())
  expect(plain).toMatch(/^\d\d:\d\d:\d\d info  scan completed scanId=1 hosts=3\n/)
  expect(plain).toMatch(/error mail failed\n  Error: the disk is full\n\s+at /)
})

it('leaves out what is below its level', () => {
  const output = memory()
  createLogger({ level: 'warn', output }).info('started')
  expect(output.text()).toBe('')
})
