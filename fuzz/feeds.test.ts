/** Feeds and archives: an invalid file is rejected with a reason, regardless of its contents. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Format, readFeed, recognizeFormat, unpack } from '../packages/intelligence/src/index.ts'
import { holds } from './bounds.ts'
import { mutated } from './mutate.ts'

const httpServer = 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*'
const nvd = JSON.stringify({
  vulnerabilities: [
    {
      cve: {
        id: 'CVE-2021-41773',
        published: '2021-10-05T09:15:07.593',
        lastModified: '2024-01-01T00:00:00.000',
        descriptions: [{ lang: 'en', value: 'Path traversal' }],
        metrics: {
          cvssMetricV31: [
            {
              type: 'Primary',
              cvssData: {
                version: '3.1',
                vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N',
                baseScore: 7.5,
              },
            },
          ],
        },
        configurations: [
          {
            nodes: [
              {
                operator: 'OR',
                cpeMatch: [
                  {
                    vulnerable: true,
                    criteria: httpServer,
                    versionEndExcluding: '2.4.50',
                  },
                ],
              },
            ],
          },
        ],
      },
    },
  ],
})
const feeds: readonly (readonly [Format, string])[] = [
  ['nvd', nvd],
  [
    'cve5',
    JSON.stringify({
      dataType: 'CVE_RECORD',
      cveMetadata: { cveId: 'CVE-2024-1234', state: 'PUBLISHED' },
      containers: {
        cna: {
          affected: [{ vendor: 'a', product: 'b', versions: [{ version: '1', lessThan: '2', status: 'affected' }] }],
        },
      },
    }),
  ],
  [
    'kev',
    JSON.stringify({ catalogVersion: '1', vulnerabilities: [{ cveID: 'CVE-2021-41773', dateAdded: '2021-11-03' }] }),
  ],
  ['epss', '#model_version:v1\ncve,epss,percentile\nCVE-2021-41773,0.97,0.99\n'],
  [
    'osv',
    JSON.stringify({
      id: 'DSA-5000-1',
      aliases: ['CVE-2024-1234'],
      affected: [
        {
          package: { ecosystem: 'Debian:12', name: 'a' },
          ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1-2' }] }],
        },
      ],
    }),
  ],
  [
    'tracker',
    JSON.stringify({
      apache2: { 'CVE-2021-41773': { releases: { bookworm: { status: 'resolved', fixed_version: '2.4.50-1' } } } },
    }),
  ],
  [
    'retire',
    JSON.stringify({
      jquery: { vulnerabilities: [{ below: '3.5.0', severity: 'medium', identifiers: { CVE: ['CVE-2020-11022'] } }] },
    }),
  ],
  [
    'lifecycle',
    JSON.stringify({
      result: {
        name: 'nginx',
        label: 'nginx',
        identifiers: [{ type: 'cpe', id: httpServer }],
        releases: [{ name: '1.24', eolFrom: '2024-05-29', isEol: true }],
      },
    }),
  ],
  [
    'lifecycle-page',
    '---\ntitle: nginx\npermalink: /nginx\nidentifiers:\n  - cpe: cpe:/a:f5:nginx\nreleases:\n  - releaseCycle: "1.24"\n    eol: 2024-05-29\n    latest: 1.24.0\n---\n\n> nginx\n',
  ],
  [
    'override',
    JSON.stringify({
      _annotation: { cve_id: 'CVE-2024-1234', description: 'a', published: '2024-01-01T00:00:00.000' },
      cve: {
        configurations: [{ nodes: [{ operator: 'OR', cpeMatch: [{ vulnerable: true, criteria: httpServer }] }] }],
      },
    }),
  ],
  [
    'distribution',
    JSON.stringify({
      distribution: 'Debian 12',
      release: 'debian:12',
      packages: [{ package: 'nginx', product: 'f5:nginx', fixes: { 'CVE-2024-1234': '1.22.1-9+deb12u1' } }],
    }),
  ],
  ['dictionary', 'part,vendor,product\na,apache,http_server\n'],
]

/**
 * Reads a file to its end, as an import does. A rejected file is an `Error` with a message.
 *
 * @returns whether it has a valid record
 */
async function readAll(format: Format, text: string): Promise<boolean> {
  let isAccepted = false
  try {
    for await (const item of readFeed(format, Readable.from([text.slice(0, 50), text.slice(50)]), { file: 'a.md' }))
      if (item.kind !== 'skipped') isAccepted = true
  } catch (error) {
    rejection(error)
  }
  return isAccepted
}

function rejection(error: unknown): void {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError || error.message === '')
    throw error
}

it.each(feeds)('feeds in the format %s', (format, sample) =>
  holds(mutated([sample]), (text) => readAll(format, text), { sliceRuns: 150, share: 0.25 }),
)

it('the detection of formats', () =>
  holds(mutated(feeds.map(([, sample]) => sample)), (text) => recognizeFormat('a.json', text) !== null))

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'glacis-fuzz-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Archives with the same file, in each format. */
async function archives(): Promise<[string, Buffer][]> {
  // A constant, so that a seed repeats a run.
  const mtime = new Date(0)
  const archive = pack()
  archive.entry({ name: 'nvd/a.json', mtime }, nvd)
  archive.entry({ name: '../b.json', mtime, type: 'symlink', linkname: '/etc/passwd' })
  archive.finalize()
  const tar = await buffer(archive)
  return [
    ['tar', tar],
    ['gzip', gzipSync(tar)],
    ['zstd', zstdCompressSync(tar)],
    ['zip', zipped('nvd/a.json', nvd)],
  ]
}

it.each(await archives())('archives in the format %s', async (name, archive) => {
  const path = join(folder, name)
  await holds(
    mutated([archive.toString('latin1')]),
    async (text) => {
      let hasFile = false
      await writeFile(path, text, 'latin1')
      try {
        for await (const file of unpack(path)) for await (const chunk of file.bytes) hasFile ||= latin1(chunk) !== text
      } catch (error) {
        rejection(error)
        return false
      }
      return hasFile
    },
    { sliceRuns: 100, share: 0.25 },
  )
  // A damaged archive must not keep its file open.
  if (process.platform === 'linux') await expect.poll(() => openFiles(path)).toBe(0)
})

function openFiles(path: string): number {
  const handles = readdirSync('/proc/self/fd').map((handle) => `/proc/self/fd/${handle}`)
  return handles.filter((handle) => existsSync(handle) && readlinkSync(handle) === path).length
}

const latin1 = (chunk: unknown) => Buffer.from(chunk as Buffer).toString('latin1') // streams of files yield buffers

/** A zip file with one file (APPNOTE.TXT, section 4.3). */
function zipped(name: string, text: string): Buffer {
  const content = deflateRawSync(text)
  const sizes = [crc32(text), content.length, text.length]
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(8, 8)
  for (const [index, size] of sizes.entries()) local.writeUInt32LE(size, 14 + 4 * index)
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50)
  local.copy(central, 6, 4, 30)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(central.length + name.length, 12)
  end.writeUInt32LE(local.length + name.length + content.length, 16)
  return Buffer.concat([local, Buffer.from(name), content, central, Buffer.from(name), end])
}
