import type { Wfn } from '@glacis/contract/inventory'
import { expect, it } from 'vitest'
import { kindOf, nameOf, softwareName } from '#hosts/words.ts'

const any: Wfn = {
  part: 'a',
  vendor: '*',
  product: '*',
  version: '*',
  update: '*',
  edition: '',
  language: '',
  softwareEdition: '',
  targetSoftware: '',
  targetHardware: '',
  other: '',
  text: '',
}

it.each([
  [{ product: 'openssh', version: '9.6', update: 'p1' }, 'Openssh 9.6p1'],
  [{ product: 'http_server', version: '*', update: '*' }, 'Http server'],
  [{ product: 'redis', version: '7.0.4', update: '-' }, 'Redis 7.0.4'],
])('%j is %s', (parts, name) => {
  expect(softwareName({ wfn: { ...any, ...parts } })).toBe(name)
})

it('prefers the name of a host to its address', () => {
  expect(nameOf({ address: '192.0.2.1' })).toBe('192.0.2.1')
  expect(nameOf({ address: '192.0.2.1', name: 'mail.example' })).toBe('mail.example')
})

it.each([
  ['a', 'Application'],
  ['o', 'Operating system'],
  ['h', 'Hardware'],
  ['*', 'Unknown'],
])('part %s is %s', (part, kind) => {
  expect(kindOf({ part })).toBe(kind)
})
