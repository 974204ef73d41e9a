/** Holds what a scan found against what is known of the laboratory, and prints it as tables. */
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
  /** `vendor:product:version` that can be named from outside. */
  products: z.array(z.string()),
  versionVisible: z.boolean(),
  verified: z.array(z.object({ weakness: z.string(), severity: z.string(), checks: z.array(z.string()) })),
  mustNot: z.array(z.string()),
})
type Row = z.infer<typeof Row>
const Expected = z.object({ rows: z.array(Row), alsoTrue: z.record(z.string(), z.array(z.string())).default({}) })

type Of<Kind> = Extract<Observation, { kind: Kind }>
const provenFrom = 95
const limits = { recall: 0.95, seconds: 180, memoryMiB: 400, named: 0.9 }

/** @returns an exit code: 0 when every limit holds */
export async function compare(about: {
  started: readonly string[]
  result: ScanResult
  late: ScanResult | undefined
  save: string | undefined
  /** Of the Node that runs the programs of npm. */
  nodeVersion: string
}): Promise<number> {
  const { started, result, late, save, nodeVersion } = about
  const expected = Expected.parse(JSON.parse(readFileSync(join(import.meta.dirname, 'expected.json'), 'utf8')))
  const observations = [...result.observations, ...(late?.observations ?? [])]
  if (save) await writeFile(save, observations.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const isRunning = ({ id }: Row) => started.includes(id) || (id.startsWith('X') && started.includes('X'))
  const rows = expected.rows.filter(isRunning)
  const findings = observations.filter((one): one is Of<'finding'> => one.kind === 'finding')
  const missed = rows.flatMap((row) => missedOf(row, findings))
  const wanted = rows.reduce((sum, { verified }) => sum + verified.length, 0)
  const wrong = wrongOf(rows, expected.alsoTrue, findings)
  const names = namesOf(rows, observations, nodeVersion)
  const seconds = result.seconds + (late?.seconds ?? 0)
  const recall = (wanted - missed.length) / Math.max(1, wanted)
  print('Missed', missed)
  print('Reported without being expected', wrong)
  print('Software not named as expected', names.missed)
  print('Wrong versions', names.wrong)
  print('Problems', problemsOf(observations))
  const figures: readonly (readonly [string, string, string, boolean])[] = [
    [
      'verified weaknesses found',
      `${wanted - missed.length} of ${wanted} (${percent(recall)})`,
      '≥ 95 %',
      recall >= limits.recall,
    ],
    ['reported and not true', String(wrong.length), '0', wrong.length === 0],
    ['software named', `${names.named} of ${names.wanted}`, '≥ 90 %', names.named >= names.wanted * limits.named],
    ['versions wrong', String(names.wrong.length), '0', names.wrong.length === 0],
    ['seconds', seconds.toFixed(1), `< ${limits.seconds}`, seconds < limits.seconds],
    [
      'memory of the scanner, MiB',
      result.memoryMiB.toFixed(0),
      `≤ ${limits.memoryMiB}`,
      result.memoryMiB <= limits.memoryMiB,
    ],
  ]
  console.log(`\n${rows.length} rows run, of ${expected.rows.length}`)
  for (const [name, value, limit, holds] of figures) {
    console.log(`${holds ? 'holds ' : 'FAILS '} ${name.padEnd(28)} ${value.padEnd(18)} ${limit}`)
  }
  return figures.every(([, , , holds]) => holds) ? 0 : 1
}

function missedOf({ id, address, verified }: Row, findings: readonly Of<'finding'>[]): string[] {
  const here = findings.filter((one) => one.address === address && one.quality >= provenFrom)
  return verified
    .filter(({ checks }) => !here.some(({ check }) => checks.includes(check)))
    .map(({ weakness, checks }) => `${id} ${weakness} [${checks.join(' ')}]`)
}

/** Findings that nobody expects: of a row's own checks, of what is true of many servers, nothing else. */
function wrongOf(
  rows: readonly Row[],
  alsoTrue: Readonly<Record<string, readonly string[]>>,
  findings: readonly Of<'finding'>[],
): string[] {
  return findings.flatMap(({ address, check, threat, location, quality }) => {
    const row = rows.find((one) => one.address === address)
    const known = [
      ...(row?.verified.flatMap(({ checks }) => checks) ?? []),
      ...(alsoTrue['*'] ?? []),
      ...(alsoTrue[row?.id ?? ''] ?? []),
    ]
    if (known.includes(check) && !row?.mustNot.includes(threat)) return []
    return [`${row?.id ?? address} ${check} at ${location} (quality ${quality})`]
  })
}

function namesOf(rows: readonly Row[], observations: readonly Observation[], nodeVersion: string) {
  const seen = observations.filter((one): one is Of<'technology'> => one.kind === 'technology')
  const missed: string[] = []
  const wrong: string[] = []
  let wanted = 0
  for (const { id, address, products, versionVisible } of rows) {
    const here = seen.filter((one) => one.address === address)
    const installed = installedVersions(id)
    for (const [vendor, product, known = '*'] of products.map((name) => name.split(':'))) {
      wanted++
      const version = product === 'node.js' ? nodeVersion : versionOf(product ?? '', known, installed)
      const found = here.find(({ wfn }) => wfn.vendor === vendor && wfn.product === product)
      if (!found) missed.push(`${id} ${vendor}:${product}`)
      else if (/^\d/.test(version) && versionVisible && found.wfn.version !== version)
        (found.wfn.version === '*' ? missed : wrong).push(
          `${id} ${vendor}:${product} is ${version}, read as ${found.wfn.version}`,
        )
    }
  }
  const named = wanted - missed.filter((line) => !line.includes(' is ')).length
  return { missed, wrong, named, wanted }
}

/** Debian's packages and Node itself move on; what is installed is what must be named. */
function versionOf(product: string, known: string, installed: ReadonlyMap<string, string>): string {
  const [, version] = [...installed].find(([name]) => name.startsWith(product.slice(0, 8))) ?? []
  return /^\d/.test(known) && version ? version : known
}

function installedVersions(id: string): ReadonlyMap<string, string> {
  const packages = debianRows.find((row) => row.id === id)?.packages ?? []
  const read = packages.flatMap((name): [string, string][] => {
    const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', name], { encoding: 'utf8' })
    // Without the epoch, the distribution's revision and what was taken out of the sources.
    const [, upstream] = /^(?:\d+:)?(\d[\d.]*)/.exec(stdout) ?? []
    return status === 0 && upstream ? [[name, upstream]] : []
  })
  return new Map(read)
}

function problemsOf(observations: readonly Observation[]): string[] {
  return observations.flatMap((one) => (one.kind === 'problem' ? `${one.address ?? ''} ${one.message}` : []))
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
