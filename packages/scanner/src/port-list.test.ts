import { expect, it } from 'vitest'
import { commonPorts } from '#common-ports.ts'
import { parsePorts } from '#port-list.ts'

it.each([
  ['22', '22', 1],
  ['80, 22;443', '22,80,443', 3],
  ['8000-8003 8004', '8000-8004', 5],
  ['1-65535', '1-65535', 65_535],
  ['80,80,79-81', '79-81', 3],
])('parses %j as %s', (text, spelled, count) => {
  const list = parsePorts(text)
  expect(list).toMatchObject({ text: spelled })
  expect('ports' in list && list.ports.length).toBe(count)
})

it('returns the common ports for an empty list', () => {
  expect(parsePorts('  ')).toEqual({ text: '', ports: commonPorts })
})

it.each(['0', '65536', '90-80', 'http', '80-', '-80', '1-2-3', '1e3', '٢٢'])('rejects %j', (text) => {
  expect(parsePorts(text)).toHaveProperty('problem')
})
