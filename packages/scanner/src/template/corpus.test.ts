/** Parses a sample of the public template collection if it is available next to the checkout. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '#template/parse.ts'
import type { Template } from '#template/template.ts'
import { mirror } from '#template/testing/mirror.ts'

const folder = join(resolve(process.env['GLACIS_SHARED'] ?? '../shared'), 'data')
const archive = existsSync(folder)
  ? readdirSync(folder).find((name) => /^nuclei-templates-.*\.tar\.zst$/.test(name))
  : undefined

/** Every nth YAML file of a tar archive (POSIX ustar). */
function* sample(tar: Buffer, step: number): Iterable<readonly [string, string]> {
  let seen = 0
  for (let at = 0; at + 512 <= tar.length;) {
    const header = tar.subarray(at, at + 512)
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '')
    const size = parseInt(header.toString('latin1', 124, 136), 8) || 0
    const isFile = name.endsWith('.yaml') && /[0\0]/.test(String.fromCharCode(header[156] ?? 0))
    if (isFile && seen++ % step === 0) yield [name, tar.toString('utf8', at + 512, at + 512 + size)]
    at += 512 + Math.ceil(size / 512) * 512
  }
}

/**
 * Runs without permission for intrusive checks, credentials, or a callback server, on any product.
 */
function isPlain({ counts, missingValues, permission, isUnsafe, needsCallback }: Template): boolean {
  return counts.http > 0 && missingValues.size === 0 && permission === null && !isUnsafe && !needsCallback
}

describe.skipIf(archive === undefined)('the public collection', () => {
  const read = () => zstdDecompressSync(readFileSync(join(folder, archive ?? '')))

  it('is parsed without a crash, and rejections have a line and a reason', () => {
    const parsed = [...sample(read(), 12)].map(([name, source]) => parseTemplate(name, source))
    const refused = parsed.filter((result) => 'reason' in result)
    expect(parsed.length).toBeGreaterThan(900)
    // Minimum share of runnable templates across all kinds, including code and workflows. Never
    // lower it.
    expect(parsed.length - refused.length).toBeGreaterThan(parsed.length * 0.72)
    expect(refused.filter(({ line, feature, reason }) => line < 1 || feature === 'YAML' || reason === '')).toEqual([])
  })

  it('matches where its conditions are met and nowhere else', async () => {
    const templates = [...sample(read(), 97)].flatMap(([name, source]) => {
      const template = parseTemplate(name, source)
      return 'reason' in template || !isPlain(template) ? [] : [template]
    })
    const outcome = await mirror(templates, '127.66.6.2')
    expect(outcome.false).toEqual([])
    expect(outcome.misses).toEqual([])
    // The response generator is simpler than the templates; some conditions are beyond it.
    expect(outcome.hits.length).toBeGreaterThan(outcome.unmade.length * 3)
  })
})
