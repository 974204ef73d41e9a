import type { Observation } from '@glacis/contract/runner'
import { expect, it } from 'vitest'
import { withoutSuperseded } from '#native/superseded.ts'

function finding(check: string, port = 80, path = '/'): Observation {
  const texts = { location: `${port}${path}`, request: '', evidence: '', highlights: [] }
  return { kind: 'finding', address: '127.0.0.1', port, transport: 'tcp', check, threat: check, quality: 80, ...texts }
}
const tags: Readonly<Record<string, readonly string[]>> = {
  'kue-open': ['kue', 'unauth'],
  'user-list-exposed': ['users', 'unauth'],
  'dokuwiki-installer-open': ['installer', 'unauth'],
  'git-config-exposed': ['exposure'],
  'graphql-records-exposed': ['graphql', 'unauth'],
  'haproxy-runtime-api-open': ['haproxy', 'console'],
}

async function kept(observations: readonly Observation[]): Promise<string[]> {
  const all: string[] = []
  const source = (async function* () {
    yield* observations
  })()
  for await (const observation of withoutSuperseded(source, (check) => tags[check] ?? []))
    if (observation.kind === 'finding') all.push(observation.check)
  return all
}

it.each<[string, Observation[], string[]]>([
  ['a product', [finding('web-administration-open'), finding('kue-open')], ['kue-open']],
  ['an installer', [finding('setup-not-completed'), finding('dokuwiki-installer-open')], ['dokuwiki-installer-open']],
  [
    'a console',
    [finding('command-console-open', 9999), finding('haproxy-runtime-api-open', 9999)],
    ['haproxy-runtime-api-open'],
  ],
  [
    'the same file',
    [
      finding('application-files-exposed', 80, '/backup/dump.sql'),
      finding('git-config-exposed', 80, '/backup/dump.sql'),
    ],
    ['git-config-exposed'],
  ],
  [
    'a more exact kind',
    [finding('api-records-exposed'), finding('web-administration-open')],
    ['web-administration-open'],
  ],
])('drops the finding of a kind that the check of %s proves', async (_, observations, expected) => {
  expect(await kept(observations)).toEqual(expected)
})

it.each<[string, Observation[]]>([
  ['on another port', [finding('kue-open', 81), finding('web-administration-open')]],
  ['of another weakness', [finding('git-config-exposed'), finding('web-administration-open')]],
  [
    'of another file',
    [finding('git-config-exposed', 80, '/.git/config'), finding('application-files-exposed', 80, '/crm/.env')],
  ],
  [
    'of another part of the application',
    [finding('graphql-records-exposed', 80, '/graphql'), finding('api-personal-data-exposed', 80, '/api/invoices/7')],
  ],
  [
    'of another list',
    [finding('user-list-exposed', 80, '/api/users'), finding('api-personal-data-exposed', 80, '/api/orders/2')],
  ],
  [
    'of another list that can be changed',
    [
      finding('api-personal-data-exposed', 80, '/api/staff'),
      finding('api-writable-without-authentication', 80, '/api/loans'),
    ],
  ],
  ['of another kind', [finding('kue-open'), finding('setup-not-completed')]],
])('keeps it next to a finding %s', async (_, observations) => {
  expect((await kept(observations)).length).toBe(2)
})

it('yields the findings of kinds if the scan is aborted', async () => {
  const seen: string[] = []
  const source = (async function* () {
    yield finding('setup-not-completed')
    throw new Error('aborted')
  })()
  await expect(async () => {
    for await (const observation of withoutSuperseded(source, () => []))
      if (observation.kind === 'finding') seen.push(observation.check)
  }).rejects.toThrow('aborted')
  expect(seen).toEqual(['setup-not-completed'])
})
