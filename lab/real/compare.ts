/** Compares scan results with the expected results and prints the differences. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Observation } from '@glacis/contract/runner'
import { z } from 'zod'
import { debianRows } from './debian.ts'
import type { ScanResult } from './scanned.ts'

const Row = z.object({
  id: z.string(),
  address: z.string(),
  /** `vendor:product:version` that is visible to a scan. */
  products: z.array(z.string()),
  versionVisible: z.boolean(),
  verified: z.array(z.object({ weakness: z.string(), severity: z.string(), checks: z.array(z.string()) })),
  mustNot: z.array(z.string()),
})
type Row = z.infer<typeof Row>
const Expected = z.object({ rows: z.array(Row), alsoTrue: z.record(z.string(), z.array(z.string())).default({}) })

type Of<Kind> = Extract<Observation, { kind: Kind }>
const confirmedQualityMin = 95
const limits = { recall: 0.95, seconds: 180, memoryMiB: 400, named: 0.9 }

/** @returns the exit code: 0 if all limits are met */
export async function compare(options: {
  started: readonly string[]
  result: ScanResult
  lastResult: ScanResult | undefined
  save: string | undefined
  /** Version of Node that runs the npm programs. */
  nodeVersion: string
}): Promise<number> {
  const { started, result, lastResult, save, nodeVersion } = options
  const expected = Expected.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'expected.json'), 'utf8')))
  const observations = [...result.observations, ...(lastResult?.observations ?? [])]
  if (save) await writeFile(save, observations.map((item) => `${JSON.stringify(item)}\n`).join(''))
  const isRunning = ({ id }: Row) => started.includes(id) || (id.startsWith('X') && started.includes('X'))
  const rows = expected.rows.filter(isRunning)
  const findings = observations.filter((item): item is Of<'finding'> => item.kind === 'finding')
  const missed = rows.flatMap((row) => missedOf(row, findings))
  const expectedCount = rows.reduce((sum, { verified }) => sum + verified.length, 0)
  const unexpected = falsePositivesOf(rows, expected.alsoTrue, findings)
  const names = identifiedSoftware(rows, observations, nodeVersion)
  const seconds = result.seconds + (lastResult?.seconds ?? 0)
  const recall = (expectedCount - missed.length) / Math.max(1, expectedCount)
  print('Missed weaknesses', missed)
  print('False positives', unexpected)
  print('Software not identified', names.missed)
  print('Wrong versions', names.wrongVersions)
  print('Problems', problemsOf(observations))
  const figures: readonly (readonly [string, string, string, boolean])[] = [
    [
      'verified weaknesses found',
      `${expectedCount - missed.length} of ${expectedCount} (${percent(recall)})`,
      '≥ 95 %',
      recall >= limits.recall,
    ],
    ['false positives', String(unexpected.length), '0', unexpected.length === 0],
    [
      'software identified',
      `${names.named} of ${names.expectedCount}`,
      '≥ 90 %',
      names.named >= names.expectedCount * limits.named,
    ],
    ['wrong versions', String(names.wrongVersions.length), '0', names.wrongVersions.length === 0],
    ['seconds', seconds.toFixed(1), `< ${limits.seconds}`, seconds < limits.seconds],
    ['scanner memory, MiB', result.memoryMiB.toFixed(0), `≤ ${limits.memoryMiB}`, result.memoryMiB <= limits.memoryMiB],
  ]
  console.log(`\n${rows.length} of ${expected.rows.length} programs scanned`)
  for (const [name, value, limit, isMet] of figures) {
    console.log(`${isMet ? 'ok   ' : 'FAIL '} ${name.padEnd(28)} ${value.padEnd(18)} ${limit}`)
  }
  return figures.every(([, , , isMet]) => isMet) ? 0 : 1
}

function missedOf({ id, address, verified }: Row, findings: readonly Of<'finding'>[]): string[] {
  const ofRow = findings.filter((item) => item.address === address && item.quality >= confirmedQualityMin)
  return verified
    .filter(({ checks }) => !ofRow.some(({ check }) => checks.includes(check)))
    .map(({ weakness, checks }) => `${id} ${weakness} [${checks.join(' ')}]`)
}

/** Findings that are neither expected for the row nor for all servers. */
function falsePositivesOf(
  rows: readonly Row[],
  alsoTrue: Readonly<Record<string, readonly string[]>>,
  findings: readonly Of<'finding'>[],
): string[] {
  return findings.flatMap(({ address, check, threat, location, quality }) => {
    const row = rows.find((item) => item.address === address)
    const known = [
      ...(row?.verified.flatMap(({ checks }) => checks) ?? []),
      ...(alsoTrue['*'] ?? []),
      ...(alsoTrue[row?.id ?? ''] ?? []),
    ]
    if (known.includes(check) && !row?.mustNot.includes(threat)) return []
    return [`${row?.id ?? address} ${check} at ${location} (quality ${quality})`]
  })
}

function identifiedSoftware(rows: readonly Row[], observations: readonly Observation[], nodeVersion: string) {
  const technologies = observations.filter((item): item is Of<'technology'> => item.kind === 'technology')
  const missed: string[] = []
  const wrongVersions: string[] = []
  let expectedCount = 0
  for (const { id, address, products, versionVisible } of rows) {
    const ofRow = technologies.filter((item) => item.address === address)
    const installed = installedVersions(id)
    for (const [vendor, product, known = '*'] of products.map((name) => name.split(':'))) {
      expectedCount++
      const version = product === 'node.js' ? nodeVersion : versionOf(product ?? '', known, installed)
      const found = ofRow.find(({ wfn }) => wfn.vendor === vendor && wfn.product === product)
      if (!found) missed.push(`${id} ${vendor}:${product}`)
      else if (/^\d/.test(version) && versionVisible && found.wfn.version !== version)
        (found.wfn.version === '*' ? missed : wrongVersions).push(
          `${id} ${vendor}:${product} is ${version}, identified as ${found.wfn.version}`,
        )
    }
  }
  const named = expectedCount - missed.filter((line) => !line.includes(' is ')).length
  return { missed, wrongVersions, named, expectedCount }
}

/** The installed version, because Debian's packages and Node are updated over time. */
function versionOf(product: string, known: string, installed: ReadonlyMap<string, string>): string {
  const [, version] = [...installed].find(([name]) => name.startsWith(product.slice(0, 8))) ?? []
  return /^\d/.test(known) && version ? version : known
}

function installedVersions(id: string): ReadonlyMap<string, string> {
  const packages = debianRows.find((row) => row.id === id)?.packages ?? []
  const read = packages.flatMap((name): [string, string][] => {
    const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', name], { encoding: 'utf8' })
    // Without the epoch, the distribution's revision and repackaging suffixes.
    const [, upstream] = /^(?:\d+:)?(\d[\d.]*)/.exec(stdout) ?? []
    return status === 0 && upstream ? [[name, upstream]] : []
  })
  return new Map(read)
}

function problemsOf(observations: readonly Observation[]): string[] {
  return observations.flatMap((item) => (item.kind === 'problem' ? `${item.address ?? ''} ${item.message}` : []))
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  console.log(`\n${title}`)
  for (const line of lines.slice(0, 80)) console.log(`  ${line}`)
  if (lines.length > 80) console.log(`  … and ${lines.length - 80} more`)
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
