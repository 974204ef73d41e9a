import { expect, it } from 'vitest'
import type { HostObservation } from '#commands/scan/result.ts'
import { textReport } from '#commands/scan/text.ts'

const skipped = (permission: 'writes' | 'logins'): HostObservation => ({
  kind: 'skipped',
  address: '127.62.4.2',
  port: 80,
  permission,
  checks: ['a'],
})

it('reports which checks were not run, and how to permit them', () => {
  const observations = [skipped('writes'), skipped('logins')]
  expect(textReport(observations, new Map())).toBe(
    [
      'Note: 1 check not run: it would write to the target.',
      'Note: 1 check not run: it would log in.',
      'To run intrusive checks too, add --allow writes --allow logins.',
      '',
      '0 of 0 hosts with services, 0 findings.',
      '',
    ].join('\n'),
  )
})

it('mentions no permission if every check was run', () => {
  expect(textReport([], new Map())).toBe('0 of 0 hosts with services, 0 findings.\n')
})

it.each([
  ['127.62.4.2', 80, false, '80/backup/', 'at http://127.62.4.2/backup/'],
  ['127.62.4.2', 8443, true, '8443/ grade-f', 'at https://127.62.4.2:8443/ (grade-f)'],
  ['::1', 443, true, '443/', 'at https://[::1]/'],
  ['127.62.4.2', 80, false, '80', 'on port 80'],
])('shows where on a web server a weakness is: %s, %s', (address, port, tls, location, expected) => {
  const common = { address, port, transport: 'tcp' as const }
  const service: HostObservation = { kind: 'service', ...common, protocol: 'http', tls, banner: '' }
  const finding: HostObservation = {
    kind: 'finding',
    ...common,
    location,
    check: 'listing',
    threat: '',
    quality: 99,
    evidence: '',
    highlights: [],
  }
  expect(textReport([service, finding], new Map())).toContain(`[listing]  ${expected}\n`)
})

it('lists a weakness once that its check proved in two ways', () => {
  const finding = (evidence: string): HostObservation => ({
    kind: 'finding',
    address: '127.62.4.2',
    port: 6379,
    location: '6379',
    check: 'redis-open',
    threat: '',
    quality: 99,
    evidence,
    highlights: [],
  })
  expect(textReport([finding('redis_version:7'), finding(':0')], new Map())).toBe(
    [
      '127.62.4.2',
      '  UNKNOWN    redis-open  [redis-open]  on port 6379',
      '',
      '1 of 0 hosts with services, 1 finding.',
      '',
    ].join('\n'),
  )
})
