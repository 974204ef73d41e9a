import { existsSync, mkdtempSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFingerprints } from '#fingerprint/match.ts'
import { loadRecog, parseRecog } from '#fingerprint/recog.ts'

const own = join(import.meta.dirname, '../../../../packs/fingerprints')
const corpus = join(
  process.env['GLACIS_SHARED'] ?? join(import.meta.dirname, '../../../../../shared'),
  'data/recog-xml-2026-06-29.tar.zst',
)

function file(records: string): string {
  return `<fingerprints matches="ssh.banner" protocol="ssh" preference="0.9">${records}</fingerprints>`
}

/** Fingerprint examples that don't produce the expected values. */
async function brokenExamples(folder: string): Promise<string[]> {
  const { files } = await loadRecog([folder], { withExamples: true })
  const fingerprints = compileFingerprints(files)
  return files.flatMap(({ name, matches, fingerprints: records }) =>
    records
      .flatMap(({ examples }) => examples)
      .flatMap(({ text, values }) => {
        const wanted = Object.entries(values).filter(([key, value]) => !key.startsWith('_') && value !== '')
        const hits = values['_filename'] ? null : fingerprints.match(matches, text)
        const isRight = !hits || hits.some((hit) => wanted.every(([key, value]) => hit.values[key] === value))
        return isRight ? [] : [`${name}: ${text.slice(0, 80)}`]
      }),
  )
}

it('does not mistake part of an IP address for a version', () => {
  const record =
    '<fingerprint pattern="^Acme[ /](\\d+\\.\\d+\\.\\d+)"><param pos="0" name="service.product" value="Acme"/><param pos="1" name="service.version"/></fingerprint>'
  const fingerprints = compileFingerprints([parseRecog(file(record), 'acme.xml')].flat())
  const versionOf = (text: string) =>
    fingerprints.match('ssh.banner', text).map(({ values }) => values['service.version'])
  expect(versionOf('Acme 127.84.5.6')).toEqual([undefined])
  expect(versionOf('Acme/127.84.5 on 127.84.5.6')).toEqual(['127.84.5'])
  expect(versionOf('Acme 3.0.10.1567')).toEqual(['3.0.10'])
})

describe('our fingerprints', () => {
  it('load without problems', async () => {
    const { files, problems } = await loadRecog([own])
    expect(problems).toEqual([])
    expect(files.flatMap(({ fingerprints }) => fingerprints).length).toBeGreaterThan(150)
  })

  it('all have an example that matches', async () => {
    const { files } = await loadRecog([own], { withExamples: true })
    expect(files.flatMap((file) => file.fingerprints).filter(({ examples }) => examples.length === 0)).toEqual([])
    expect(await brokenExamples(own)).toEqual([])
  })

  it('name the product of a title once', async () => {
    const { files } = await loadRecog([own], { withExamples: true })
    const fingerprints = compileFingerprints(files)
    const titles = files
      .filter(({ matches }) => matches === 'html_title')
      .flatMap((titleFile) => titleFile.fingerprints.flatMap(({ examples }) => examples.map(({ text }) => text)))
    const named = (title: string) =>
      new Set(
        fingerprints.match('html_title', title).map(({ values }) => values['service.cpe23']?.replace(/:[^:]*$/, '')),
      )
    expect(titles.filter((title) => named(title).size > 1)).toEqual([])
  })
})

describe.skipIf(!existsSync(corpus))('the Recog database', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'recog-'))
    execFileSync('tar', ['--zstd', '-xf', corpus, '-C', folder])
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('loads without problems', async () => {
    const { files, problems } = await loadRecog([join(folder, 'xml')])
    expect(problems).toEqual([])
    expect(files.flatMap(({ fingerprints }) => fingerprints).length).toBeGreaterThan(4600)
  })

  it('matches nearly all of its examples', async () => {
    expect((await brokenExamples(join(folder, 'xml'))).length).toBeLessThan(10)
  }, 120_000)
})

describe('parseRecog', () => {
  it('skips an invalid record and reports its line', () => {
    const { fingerprints, problems } = parseRecog(
      file(`<fingerprint pattern="(?=x)"><description>look-ahead</description></fingerprint>
        <fingerprint pattern="^A(.)$"><param pos="2" name="service.version"/></fingerprint>
        <fingerprint><param pos="0" name="x" value="y"/></fingerprint>
        <fingerprint pattern="x"><param pos="one" name="x"/></fingerprint>
        <fingerprint pattern="^B$"><description>good</description></fingerprint>`),
      'ssh',
    )
    expect(fingerprints.map(({ description }) => description)).toEqual(['good'])
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
  })

  it('reads the field from the name of a file that does not state it', () => {
    const xml = '<fingerprints protocol="telnet"></fingerprints>'
    expect(parseRecog(xml, 'telnet_banners').matches).toBe('telnet.banner')
    expect(parseRecog(xml, 'hp_pjl_id').matches).toBe('hp_pjl_id')
  })

  it.each([
    ['not XML', '<fingerprints><fingerprint'],
    ['another document', '<rss/>'],
    ['entities', '<!DOCTYPE f [<!ENTITY a "aaaa">]><fingerprints>&a;</fingerprints>'],
  ])('rejects %s', (_, xml) => {
    expect(() => parseRecog(xml, 'x')).toThrow()
  })
})

describe('match', () => {
  const fingerprints = compileFingerprints([
    parseRecog(
      file(`<fingerprint pattern="^OpenSSH_(\\S+)"><param pos="1" name="service.version"/>
        <param pos="0" name="service.cpe23" value="cpe:/a:openbsd:openssh:{service.version}"/>
        <param pos="0" name="os.cpe23" value="cpe:/o:x:y:{os.version}"/></fingerprint>
        <fingerprint pattern="^Open"><param pos="0" name="service.product" value="second"/></fingerprint>`),
      'ssh',
    ),
  ])

  it('fills captures into names and uses a dash for empty ones', () => {
    expect(fingerprints.match('ssh.banner', 'OpenSSH_9.9')).toEqual([
      {
        description: '',
        matched: 'OpenSSH_9.9',
        isLastResort: false,
        values: { 'service.version': '9.9', 'service.cpe23': 'cpe:/a:openbsd:openssh:9.9', 'os.cpe23': 'cpe:/o:x:y:-' },
      },
    ])
  })

  it('escapes a hostile version', () => {
    const [hit] = fingerprints.match('ssh.banner', 'OpenSSH_9:evil/../%00')
    expect(hit?.values['service.cpe23']?.split(':')).toHaveLength(5)
  })

  it('uses files with the preference 0 only if no other matches', () => {
    const server = (pattern: string, preference: number) => ({
      ...parseRecog(
        file(`<fingerprint pattern="${pattern}"><param pos="1" name="service.product"/></fingerprint>`),
        'x',
      ),
      preference,
    })
    const files = [server('^(known)/', 0.9), server('^(\\w+)/', 0)]
    const namesOf = (text: string) =>
      compileFingerprints(files)
        .match(files[0]?.matches ?? '', text)
        .map(({ values, isLastResort }) => [values['service.product'], isLastResort])
    expect(namesOf('known/1')).toEqual([['known', false]])
    expect(namesOf('other/1')).toEqual([['other', true]])
  })

  it('skips invalid records of a file that was not validated', () => {
    const lazy = parseRecog(
      file(`<fingerprint pattern="(?=x)"><param pos="0" name="service.product" value="look-ahead"/></fingerprint>
        <fingerprint pattern="^A(.)$"><param pos="2" name="service.product"/></fingerprint>
        <fingerprint pattern="^A(.*)$"><param pos="1" name="service.product"/></fingerprint>`),
      'ssh',
      { validatesPatterns: false },
    )
    expect([lazy.fingerprints.length, lazy.problems]).toEqual([3, []])
    const hits = compileFingerprints([lazy]).match('ssh.banner', 'AB')
    expect(hits.map(({ values }) => values)).toEqual([{ 'service.product': 'B' }])
  })

  it('finds the same in our own files, whether they were validated or not', async () => {
    const [{ files: validated }, { files }] = [
      await loadRecog([own]),
      await loadRecog([own], { validatesPatterns: false }),
    ]
    expect(files).toEqual(validated)
  })

  it('matches only the requested field', () => {
    expect(fingerprints.match('ftp.banner', 'OpenSSH_9.9')).toEqual([])
  })
})

it('rejects a file that is cut in the middle of a character', () => {
  expect(() => parseRecog('<?xml \ud800', 'pack')).toThrow('must contain a root element')
})
