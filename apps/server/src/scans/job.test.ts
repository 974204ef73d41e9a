import { expect, it } from 'vitest'
import { jobOf, type JobTarget } from '#scans/job.ts'

const reach = { networks: 'all' as const, ownEndpoints: ['127.0.0.1:3000'] }
const target: JobTarget = {
  address: '127.62.4.0/28',
  exclusions: [],
  profile: 'gentle',
  ports: '',
  rate_per_host: null,
}
const hosts = [{ address: '127.62.4.1', names: [] }]

it('asks the common ports gently, and leaves our own alone', () => {
  expect(jobOf(reach, hosts, target)).toEqual({
    hosts,
    profile: 'gentle',
    allow: ['127.62.4.1'],
    deny: ['127.0.0.1:3000'],
  })
})

it('carries profile, rate, ports and exclusions of the target', () => {
  const job = jobOf(reach, hosts, {
    ...target,
    exclusions: ['127.62.4.8/29', '127.62.4.1:22', '*:80'],
    profile: 'deep',
    ports: '80-82',
    rate_per_host: 7,
  })
  expect(job).toMatchObject({
    profile: 'deep',
    ratePerHost: 7,
    ports: [81, 82],
    deny: ['127.0.0.1:3000', '127.62.4.8/29', '127.62.4.1:22', '127.62.4.1:80'],
  })
})

it('asks the port of a URL alone, below its path', () => {
  expect(jobOf(reach, hosts, { ...target, address: 'https://127.62.4.1:8443/app' })).toMatchObject({
    ports: [8443],
    basePath: '/app',
  })
})

it('leaves a port out of the common ones where it is excluded everywhere', () => {
  const ports = jobOf(reach, hosts, { ...target, exclusions: ['*:443'] }).ports ?? []
  expect([ports.includes(443), ports.includes(80), ports.length]).toEqual([false, true, 999])
})

it('allows nothing that the installation may not touch', () => {
  expect(jobOf({ ...reach, networks: 'public' }, hosts, target).allow).toEqual([])
})
