import { expect, it } from 'vitest'
import { locationTitle } from '#issues/evidence.tsx'

it.each([
  ['80/.git/config', 'Evidence, port 80, /.git/config'],
  ['61616/tcp openwire', 'Evidence, port 61616/tcp, openwire'],
  ['80/ grade-f', 'Evidence, port 80, / (grade-f)'],
  ['6379', 'Evidence, port 6379'],
  ['80/tcpdump', 'Evidence, port 80, /tcpdump'],
  ['127.0.0.1', 'Evidence, 127.0.0.1'],
  ['', 'Evidence'],
])('titles %j as %s', (location, expected) => {
  expect(locationTitle(location)).toBe(expected)
})
