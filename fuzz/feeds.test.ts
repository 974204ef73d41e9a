/** Feeds and archives: an invalid file is rejected with a reason, whatever it contains. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, beforeAll, it } from 'vitest'
import { type Format, readFeed, recognizeFormat, unpack } from '../packages/intelligence/src/index.ts'
import { holds } from './bounds.ts'
import { mutated } from './mutate.ts'

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
                    criteria: 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*',
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
      cveMetadata: { cveId: 'CVE-2024-1' },
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
      id: 'DSA-1',
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
    JSON.stringify({ result: { name: 'nginx', releases: [{ name: '1.24', eolFrom: '2024-05-29', isEol: true }] } }),
  ],
  ['dictionary', 'part,vendor,product\na,apache,http_server\n'],
]

/** Reads a file to its end, as an import does. A rejected file is an `Error` with a message. */
async function readAll(format: Format, text: string): Promise<void> {
  try {
    for await (const item of readFeed(format, Readable.from([text.slice(0, 50), text.slice(50)]))) void item
  } catch (error) {
    rejection(error)
  }
}

function rejection(error: unknown): void {
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError || error.message === '')
    throw error
}

it.each(feeds)('feeds in the format %s', (format, sample) =>
  holds(mutated([sample]), (text) => readAll(format, text), 150),
)

it('the detection of formats', () =>
  holds(mutated(feeds.map(([, sample]) => sample)), (text) => recognizeFormat('a.json', text)))

let folder = ''
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'glacis-fuzz-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

it('archives', async () => {
  const archive = pack()
  archive.entry({ name: 'nvd/a.json' }, nvd)
  archive.entry({ name: '../b.json', type: 'symlink', linkname: '/etc/passwd' })
  archive.finalize()
  const tar = await buffer(archive)
  const bytes = mutated([tar, gzipSync(tar), gzipSync(nvd)].map((data) => data.toString('latin1')))
  const path = join(folder, 'archive')
  await holds(
    fc.tuple(bytes),
    async ([text]) => {
      await writeFile(path, text, 'latin1')
      try {
        for await (const file of unpack(path)) for await (const chunk of file.bytes) void chunk
      } catch (error) {
        rejection(error)
      }
    },
    250,
  )
})
