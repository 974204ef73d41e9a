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

describe('readFeed with the Debian tracker', () => {
  const tracked = (releases: object) => ({ nginx: { 'CVE-2024-7347': { scope: 'remote', releases } } })
  const bookworm = (state: object) =>
    tracked({ bookworm: { repositories: { bookworm: '1.22.1-9' }, urgency: 'not yet assigned', ...state } })
  const fix = (fixedVersion: string | null) => ({
    kind: 'fix',
    id: 'CVE-2024-7347',
    package: 'nginx',
    product: 'f5:nginx',
    release: 'debian:12',
    fixedVersion,
    origin: 'nginx',
  })

  it.each<[string, object, string | null]>([
    [
      'resolved with a version is fixed in that version',
      { status: 'resolved', fixed_version: '1.22.1-9+deb12u1' },
      '1.22.1-9+deb12u1',
    ],
    ['never affected is fixed in version 0', { status: 'resolved', fixed_version: '0' }, '0'],
    ['resolved without a version is unknown', { status: 'resolved' }, null],
    ['open has no fixed version', { status: 'open' }, ''],
    [
      'open without a planned advisory has no fixed version',
      { status: 'open', nodsa: 'Minor issue', nodsa_reason: '' },
      '',
    ],
    ['postponed has no fixed version', { status: 'open', nodsa: 'Minor', nodsa_reason: 'postponed' }, ''],
    ['unimportant is unknown', { status: 'open', urgency: 'unimportant' }, null],
    ['end-of-life is unknown', { status: 'open', urgency: 'end-of-life' }, null],
    ['undetermined is unknown', { status: 'undetermined' }, null],
    ['with an unrecognized status is unknown', { status: 'pondered' }, null],
    ['invalid is unknown', { status: 7 }, null],
  ])('a release that is %s', async (_, state, fixedVersion) => {
    expect(await read('tracker', bookworm(state))).toEqual([fix(fixedVersion)])
  })

  it('yields one item per numbered release', async () => {
    const resolved = { status: 'resolved', fixed_version: '1.26.1-1' }
    const items = await read('tracker', tracked({ bullseye: { status: 'open' }, trixie: resolved, sid: resolved }))
    expect(items).toMatchObject([
      { release: 'debian:11', fixedVersion: '' },
      { release: 'debian:13', fixedVersion: '1.26.1-1' },
    ])
  })

  it('skips invalid entries, and reads packages that scans cannot detect without a product', async () => {
    const { nginx } = bookworm({ status: 'open' })
    const items = await read('tracker', {
      nginx: { 'CVE-2024-1111': 7, 'TEMP-0000000-ABCDEF': { releases: {} }, ...nginx },
      curl: 'nothing',
      'some-library': bookworm({ status: 'open' }).nginx,
    })
    // A member whose value is not an object is not a package.
    expect(items).toMatchObject([
      { kind: 'skipped', id: 'CVE-2024-1111' },
      fix(''),
      { package: 'some-library', product: '', fixedVersion: '' },
    ])
  })
})

describe('readFeed with OSV advisories', () => {
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
    ['a fixed version', [range({ introduced: '0' }, { fixed: '1.22.1-9+deb12u1' })], '1.22.1-9+deb12u1'],
    [
      'several intervals, using the last one',
      [range({ introduced: '0' }, { fixed: '1.18-10' }, { introduced: '1.20-1' }, { fixed: '1.22.1-9+deb12u1' })],
      '1.22.1-9+deb12u1',
    ],
    [
      'several ranges, using the latest version',
      [range({ introduced: '0' }, { fixed: '1.22.1-10' }), range({ introduced: '0' }, { fixed: '1.22.1-9' })],
      '1.22.1-10',
    ],
    ['no end, which means no fixed version', [range({ introduced: '0' })], ''],
    ['an interval that is opened again', [range({ introduced: '0' }, { fixed: '1.2-1' }, { introduced: '1.3-1' })], ''],
    ['last_affected, which means unknown', [range({ introduced: '0' }, { last_affected: '1.2' })], null],
    ['only a list of versions', [], null],
    [
      'commits instead of versions',
      [{ type: 'GIT', repo: 'x', events: [{ introduced: '0' }, { fixed: 'a1b2' }] }],
      null,
    ],
    ['an invalid event', [range({ introduced: '0' }, { fixed: 7 })], ''],
  ])('reads an advisory with %s', async (_, ranges, fixedVersion) => {
    expect(await read('osv', advisory(ranges))).toEqual([
      {
        kind: 'fix',
        id: 'CVE-2024-7347',
        package: 'nginx',
        product: 'f5:nginx',
        release: 'debian:12',
        fixedVersion,
        origin: 'DSA-5750-1',
      },
    ])
  })

  it('resets the fixes of a withdrawn advisory', async () => {
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
    ['Alpine:v3.20', 'alpine:3.20'],
  ])('maps the ecosystem %s to %s', async (ecosystem, release) => {
    const ranges = [range({ introduced: '0' }, { fixed: '1.22.1-9' })]
    expect(await read('osv', advisory(ranges, {}, ecosystem))).toMatchObject([{ release }])
  })

  it.each(['npm', 'Debian', 'Wolfi'])('ignores the ecosystem %s', async (ecosystem) => {
    expect(await read('osv', advisory([range({ introduced: '0' }, { fixed: '1' })], {}, ecosystem))).toEqual([])
  })

  it('yields each CVE of aliases and upstream once', async () => {
    const ranges = [range({ introduced: '0' }, { fixed: '1.22.1-9' })]
    const ids = { aliases: ['CVE-2024-7347'], upstream: ['UBUNTU-CVE-2024-7347', 'CVE-2024-0002'] }
    const items = await read('osv', advisory(ranges, ids))
    expect(items).toMatchObject([{ id: 'CVE-2024-7347' }, { id: 'CVE-2024-0002' }])
  })
})
