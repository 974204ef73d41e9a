import { describe, expect, it } from 'vitest'
import { readFeed } from '#feed/read.ts'
import type { Item } from '#feed/item.ts'

async function read(format: 'tracker' | 'osv', document: object): Promise<Item[]> {
  const items: Item[] = []
  const text = JSON.stringify(document)
  async function* chunks() {
    for (let at = 0; at < text.length; at += 50) yield text.slice(at, at + 50)
  }
  for await (const item of readFeed(format, chunks())) items.push(item)
  return items
}

describe('the tracker of Debian', () => {
  const tracked = (releases: object) => ({ nginx: { 'CVE-2024-7347': { scope: 'remote', releases } } })
  const bookworm = (said: object) =>
    tracked({ bookworm: { repositories: { bookworm: '1.22.1-9' }, urgency: 'not yet assigned', ...said } })
  const fix = (fixedVersion: string | null) => ({
    kind: 'fix',
    id: 'CVE-2024-7347',
    product: 'f5:nginx',
    release: 'debian:12',
    fixedVersion,
    origin: 'nginx',
  })

  it.each<[string, object, string | null]>([
    ['is resolved names the version', { status: 'resolved', fixed_version: '1.22.1-9+deb12u1' }, '1.22.1-9+deb12u1'],
    ['never was affected names 0', { status: 'resolved', fixed_version: '0' }, '0'],
    ['is resolved in a version that is not said says nothing', { status: 'resolved' }, null],
    ['is open has no build with the fix', { status: 'open' }, ''],
    ['waits for no advisory has none either', { status: 'open', nodsa: 'Minor issue', nodsa_reason: '' }, ''],
    ['was postponed has none either', { status: 'open', nodsa: 'Minor', nodsa_reason: 'postponed' }, ''],
    ['is no weakness to Debian says nothing', { status: 'open', urgency: 'unimportant' }, null],
    ['is looked after no more says nothing', { status: 'open', urgency: 'end-of-life' }, null],
    ['is undetermined says nothing', { status: 'undetermined' }, null],
    ['has a status of tomorrow says nothing', { status: 'pondered' }, null],
    ['is broken says nothing', { status: 7 }, null],
  ])('a release that %s', async (_, said, fixedVersion) => {
    expect(await read('tracker', bookworm(said))).toEqual([fix(fixedVersion)])
  })

  it('is read release by release, and those without a number are left out', async () => {
    const resolved = { status: 'resolved', fixed_version: '1.26.1-1' }
    const items = await read('tracker', tracked({ bullseye: { status: 'open' }, trixie: resolved, sid: resolved }))
    expect(items).toMatchObject([
      { release: 'debian:11', fixedVersion: '' },
      { release: 'debian:13', fixedVersion: '1.26.1-1' },
    ])
  })

  it('loses only what is broken, counts it, and passes over what concerns no scan', async () => {
    const { nginx } = bookworm({ status: 'open' })
    const items = await read('tracker', {
      nginx: { 'CVE-2024-1111': 7, 'TEMP-0000000-ABCDEF': { releases: {} }, ...nginx },
      curl: 'nothing',
      'some-library': bookworm({ status: 'open' }).nginx,
    })
    // A value that is no object is none of the tracker's packages.
    expect(items).toMatchObject([{ kind: 'skipped', id: 'CVE-2024-1111' }, fix('')])
  })
})

describe('an OSV advisory', () => {
  const range = (...events: object[]) => ({ type: 'ECOSYSTEM', events })
  const advisory = (ranges: object[], more: object = {}, ecosystem = 'Debian:12') => ({
    schema_version: '1.7.3',
    id: 'DSA-5750-1',
    modified: '2024-08-14T00:00:00Z',
    upstream: ['CVE-2024-7347'],
    affected: [{ package: { ecosystem, name: 'nginx' }, ranges, versions: ['1.22.1-9'] }],
    ...more,
  })
  it.each<[string, object[], string | null]>([
    ['a fix', [range({ introduced: '0' }, { fixed: '1.22.1-9+deb12u1' })], '1.22.1-9+deb12u1'],
    [
      'several spans, the last of them',
      [range({ introduced: '0' }, { fixed: '1.18-10' }, { introduced: '1.20-1' }, { fixed: '1.22.1-9+deb12u1' })],
      '1.22.1-9+deb12u1',
    ],
    [
      'several ranges, in the order of packages',
      [range({ introduced: '0' }, { fixed: '1.22.1-10' }), range({ introduced: '0' }, { fixed: '1.22.1-9' })],
      '1.22.1-10',
    ],
    ['no end: no build holds the fix', [range({ introduced: '0' })], ''],
    ['a span that opens again', [range({ introduced: '0' }, { fixed: '1.2-1' }, { introduced: '1.3-1' })], ''],
    [
      'the last affected one, after which nothing is known',
      [range({ introduced: '0' }, { last_affected: '1.2' })],
      null,
    ],
    ['a list of versions alone', [], null],
    [
      'commits, which are no versions',
      [{ type: 'GIT', repo: 'x', events: [{ introduced: '0' }, { fixed: 'a1b2' }] }],
      null,
    ],
    ['a broken event', [range({ introduced: '0' }, { fixed: 7 })], ''],
  ])('says with %s', async (_, ranges, fixedVersion) => {
    expect(await read('osv', advisory(ranges))).toEqual([
      {
        kind: 'fix',
        id: 'CVE-2024-7347',
        product: 'f5:nginx',
        release: 'debian:12',
        fixedVersion,
        origin: 'DSA-5750-1',
      },
    ])
  })

  it('that was withdrawn takes back what it said', async () => {
    const ranges = [range({ introduced: '0' }, { fixed: '1.22.1-9+deb12u1' })]
    expect(await read('osv', advisory(ranges, { withdrawn: '2024-09-01T00:00:00Z' }))).toMatchObject([
      { fixedVersion: null, origin: 'DSA-5750-1' },
    ])
  })

  it.each([
    ['Ubuntu:22.04:LTS', 'ubuntu:22.04'],
    ['Ubuntu:Pro:18.04:LTS', 'ubuntu:18.04'],
    ['Rocky Linux:9', 'el:9'],
    ['AlmaLinux:8', 'el:8'],
    ['Red Hat:enterprise_linux:9::appstream', 'el:9'],
    ['Red Hat:rhel_eus:9.2::baseos', 'el:9'],
  ])('of %s is about %s', async (ecosystem, release) => {
    const ranges = [range({ introduced: '0' }, { fixed: '1.22.1-9' })]
    expect(await read('osv', advisory(ranges, {}, ecosystem))).toMatchObject([{ release }])
  })

  it.each(['npm', 'Debian', 'Alpine:v3.20'])('of %s concerns no release that is known', async (ecosystem) => {
    expect(await read('osv', advisory([range({ introduced: '0' }, { fixed: '1' })], {}, ecosystem))).toEqual([])
  })

  it('names each CVE of its other names once', async () => {
    const ranges = [range({ introduced: '0' }, { fixed: '1.22.1-9' })]
    const ids = { aliases: ['CVE-2024-7347'], upstream: ['UBUNTU-CVE-2024-7347', 'CVE-2024-0002'] }
    const items = await read('osv', advisory(ranges, ids))
    expect(items).toMatchObject([{ id: 'CVE-2024-7347' }, { id: 'CVE-2024-0002' }])
  })
})
