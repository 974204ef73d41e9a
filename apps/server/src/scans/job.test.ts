import { defaultPortCount } from '@glacis/contract/target'
import { expect, it } from 'vitest'
import { jobOf, type JobTarget } from '#scans/job.ts'

const reach = { networks: 'all' as const, ownEndpoints: ['127.0.0.1:3000'] }
const target: JobTarget = {
  address: '127.62.4.0/28',
  exclusions: [],
  profile: 'gentle',
  permissions: [],
  ports: '',
  rate_per_host: null,
}
const hosts = [{ address: '127.62.4.1', names: [] }]

it('SEC-C2 SEC-C4 scans the common ports at a low rate and excludes our own endpoints', () => {
  expect(jobOf(reach, hosts, target)).toEqual({
    hosts,
    profile: 'gentle',
    allow: ['127.62.4.1'],
    deny: ['127.0.0.1:3000'],
  })
})

it('includes profile, permissions, rate, ports, and exclusions of the target', () => {
  const job = jobOf(reach, hosts, {
    ...target,
    exclusions: ['127.62.4.8/29', '127.62.4.1:22', '*:80'],
    profile: 'deep',
    permissions: ['logins'],
    ports: '80-82',
    rate_per_host: 7,
  })
  expect(job).toMatchObject({
    profile: 'deep',
    permissions: ['logins'],
    ratePerHost: 7,
    ports: [81, 82],
    deny: ['127.0.0.1:3000', '127.62.4.8/29', '127.62.4.1:22', '127.62.4.1:80'],
  })
})

it('scans only the port and path of a URL', () => {
  expect(jobOf(reach, hosts, { ...target, address: 'https://127.62.4.1:8443/app' })).toMatchObject({
    ports: [8443],
    basePath: '/app',
  })
})

it('drops a common port that is excluded everywhere', () => {
  const ports = jobOf(reach, hosts, { ...target, exclusions: ['*:443'] }).ports ?? []
  expect([ports.includes(443), ports.includes(80), ports.length]).toEqual([false, true, defaultPortCount - 1])
})

it("doesn't allow networks outside the installation's limits", () => {
  expect(jobOf({ ...reach, networks: 'public' }, hosts, target).allow).toEqual([])
})
