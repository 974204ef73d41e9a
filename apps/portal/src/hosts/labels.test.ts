import type { Wfn } from '@glacis/contract/product'
import { expect, it } from 'vitest'
import { partLabel, hostName, softwareName, installedSoftware } from '#hosts/labels.ts'

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

it('lists software once, with sorted ports', () => {
  const nginx = { wfn: { ...any, product: 'nginx', version: '1.18.0' } }
  const inventory = [{ ...nginx, port: 8080 }, { wfn: { ...any, product: 'debian_linux' } }, { ...nginx, port: 80 }]
  expect(installedSoftware({ inventory })).toEqual([
    { name: 'Nginx 1.18.0', productId: undefined, ports: [80, 8080] },
    { name: 'Debian linux', productId: undefined, ports: [] },
  ])
})

it('prefers the hostname to the address', () => {
  expect(hostName({ address: '192.0.2.1' })).toBe('192.0.2.1')
  expect(hostName({ address: '192.0.2.1', name: 'mail.example' })).toBe('mail.example')
})

it.each([
  ['a', 'Application'],
  ['o', 'Operating system'],
  ['h', 'Hardware'],
  ['*', 'Unknown'],
])('part %s is %s', (part, kind) => {
  expect(partLabel({ part })).toBe(kind)
})
