/** Reads a sample of the public template collection, where it lies beside the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '#template/parse.ts'

const folder = join(resolve(process.env['GLACIS_SHARED'] ?? '../shared'), 'data')
const archive = existsSync(folder)
  ? readdirSync(folder).find((name) => /^nuclei-templates-.*\.tar\.zst$/.test(name))
  : undefined

/** Every twelfth YAML file of a tar archive (POSIX ustar). */
function* sample(tar: Buffer): Iterable<readonly [string, string]> {
  let seen = 0
  for (let at = 0; at + 512 <= tar.length;) {
    const header = tar.subarray(at, at + 512)
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '')
    const size = parseInt(header.toString('latin1', 124, 136), 8) || 0
    const isFile = name.endsWith('.yaml') && /[0\0]/.test(String.fromCharCode(header[156] ?? 0))
    if (isFile && seen++ % 12 === 0) yield [name, tar.toString('utf8', at + 512, at + 512 + size)]
    at += 512 + Math.ceil(size / 512) * 512
  }
}

describe.skipIf(archive === undefined)('the public collection', () => {
  it('is read without a crash, and what is refused has a line and a reason', () => {
    const tar = zstdDecompressSync(readFileSync(join(folder, archive ?? '')))
    const parsed = [...sample(tar)].map(([name, source]) => parseTemplate(name, source))
    const refused = parsed.filter((one) => 'reason' in one)
    expect(parsed.length).toBeGreaterThan(900)
    // Steps S1 to S3 of the engine: a little under half of all templates, and never fewer than before.
    expect(parsed.length - refused.length).toBeGreaterThan(parsed.length * 0.44)
    expect(refused.filter(({ line, feature, reason }) => line < 1 || feature === 'YAML' || reason === '')).toEqual([])
  })
})
