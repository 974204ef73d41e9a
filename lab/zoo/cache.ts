/** Results of earlier scans, by program, installed versions, and everything that decides what a scan finds. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Observation } from '@glacis/contract/runner'
import { z } from 'zod'
import type { Entry } from './entry.ts'

const StoredRun = z.object({ observations: z.array(Observation), seconds: z.number(), memoryMiB: z.number() })
export type StoredRun = z.infer<typeof StoredRun>
const StoredResult = z.object({ key: z.string(), weak: StoredRun, hardened: StoredRun.optional() })
export type StoredResult = z.infer<typeof StoredResult>

const root = join(import.meta.dirname, '../..')

/** Digest of the checks, the fingerprints, and the scanner's sources. */
export function scannerDigest(): string {
  const hash = createHash('sha256')
  for (const folder of [
    'packs/checks',
    'packs/fingerprints',
    'packages/scanner/src',
    'apps/server/src/commands/scan',
  ]) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted()
    for (const name of names.filter((item) => /\.(?:yaml|xml|ts)$/.test(item) && !item.includes('test'))) {
      hash.update(name).update(readFileSync(join(root, folder, name)))
    }
  }
  return hash.digest('hex')
}

/** @param versions installed versions of the program's packages */
export function keyOf({ text }: Entry, versions: readonly string[], digest: string): string {
  return createHash('sha256')
    .update([text, ...versions, digest].join('\0'))
    .digest('hex')
}

/** @returns undefined if there is no result, or its key differs */
export function readResult(cache: string, { id }: Entry, key: string): StoredResult | undefined {
  const file = join(cache, 'results', `${id}.json`)
  if (!existsSync(file)) return undefined
  const result = StoredResult.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  return result.success && result.data.key === key ? result.data : undefined
}

export function writeResult(cache: string, { id }: Entry, result: StoredResult): void {
  mkdirSync(join(cache, 'results'), { recursive: true })
  writeFileSync(join(cache, 'results', `${id}.json`), JSON.stringify(result))
}
